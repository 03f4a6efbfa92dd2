# Every text a person reads, in English. ko.ftl holds the same keys in the same order.
#
# Arguments are ready to print: amounts, dates and large numbers arrive as text in the reader's
# own form. Only $count is a number; it chooses the plural and is printed only where it stays small.

## Points and numbers

points-amount = { $count ->
    [one] { $points } point
   *[other] { $points } points
  }
points-unit = points
seats-count = { $count ->
    [one] { $count } seat
   *[other] { $count } seats
  }
places-count = { $count ->
    [one] { $count } place
   *[other] { $count } places
  }

## Dates

date-month-1 = Jan
date-month-2 = Feb
date-month-3 = Mar
date-month-4 = Apr
date-month-5 = May
date-month-6 = Jun
date-month-7 = Jul
date-month-8 = Aug
date-month-9 = Sept
date-month-10 = Oct
date-month-11 = Nov
date-month-12 = Dec
date-month-year = { $month } { $year }
date-minutes = { $minutes } min
date-minutes-range = { $from }–{ $to } min
date-less-than-a-minute = less than a minute
date-hours-minutes = { $hours } h { $minutes } min

## Layout

layout-title = { $page } · Stagedoor
layout-skip = Skip to the content
layout-nav-label = Main
layout-reservations = Reservations
layout-tickets = Tickets
layout-door = Door
layout-admin = Admin
layout-wallet = Wallet
layout-requests-waiting = { $count ->
    [one] { $count } person wants to send you points
   *[other] { $count } people want to send you points
  }
layout-log-in = Log in
layout-sign-up = Sign up
layout-log-out = Log out
layout-account = Account
layout-promise = Your place in line, your seat and your points are never lost and never sold twice.

## Words used by several pages

common-back-home = See all programs
common-next-page = Show older
common-first-page = Back to the newest
common-refusal-request-key = This form is broken. Please go back and open the page again.

## Home

home-title = Tickets
home-headline = Good seats, fairly sold.
home-lede = Join the line, keep your place, choose your seat. Nobody gets in front of you.
home-on-sale = On sale now
home-on-sale-none = Nothing is on sale at this moment.
home-coming = Coming up
home-popular = Popular today
home-price-from = from { $amount }
home-sold-out = Sold out
home-sale-opens = Sale opens { $when }

## Program

program-state-on-sale = On sale
program-state-not-open = Not on sale yet
program-state-closed = Sale closed
program-state-sold-out = Sold out
program-state-cancelled = Cancelled
program-dates = Dates
program-price-from = from { $amount }
program-free = { $free } free
program-free-none = sold out
program-join = Join the line
program-join-note = You get your number at once. Close the page if you like: the number stays yours.
program-log-in-to-join = Log in to join the line
program-no-queue-note = There is no line at the moment. You go straight to the seats.
program-sale-ends = On sale until { $when }
program-opens = The sale opens { $when }
program-opens-in = Opens in
program-opened = The sale is open. Join the line now.
program-opens-note = The page opens by itself, and everyone who joins gets a number in the order they came.
program-closed-title = The sale has ended
program-closed-note = You can still pay for seats you are holding. You'll find them under your reservations.
program-sold-out-title = Every seat is sold
program-sold-out-note = Seats come back when a hold is not paid, so it can be worth checking again.
program-cancelled-title = This program was cancelled
program-cancelled-note = Paid tickets are refunded to your wallet in full. There is nothing you need to do.
program-how = How it works
program-how-queue = Take a number. The line moves in that order and no other.
program-how-seats = When it is your turn you have { $minutes ->
        [one] { $minutes } minute
       *[other] { $minutes } minutes
    } to choose.
program-how-hold = Your choice is held for { $minutes ->
        [one] { $minutes } minute
       *[other] { $minutes } minutes
    } while you pay.
program-how-max = Up to { $count ->
        [one] { $count } seat
       *[other] { $count } seats
    } for each person.

## Accounts

account-sign-up-title = Create an account
account-sign-up-lede = One account for your place in line, your points and your tickets.
account-sign-up-button = Create account
account-have-one = Already have an account?
account-log-in-title = Welcome back
account-log-in-button = Log in
account-log-in-to-go-on = Log in to pick up where you left off.
account-none-yet = New here?
account-email = E-mail
account-name = Name
account-name-help = As it should appear on your tickets.
account-password = Password
account-password-help = At least { $count } characters. A short sentence is easy to remember.
account-refusal-email = That does not look like an e-mail address.
account-refusal-name = Please tell us your name.
account-refusal-password = Please use 8 to 256 characters.
account-refusal-password-known = This password has appeared in data breaches and is easy to guess. Please choose another one.
account-refusal-password-own = This is too close to your name or e-mail. Please choose another one.
account-sessions-title = Where you're logged in
account-sessions-lede = See a device you don't know? Log it out.
account-session-this = This device
account-session-unknown = Unknown device
account-session-since = Logged in: { $when }
account-session-seen = Last used: { $when }
account-sessions-end-others = Log out everywhere else
account-forgotten-link = Forgot your password?
account-forgotten-title = Forgot your password?
account-forgotten-lede = Enter your e-mail address. If it has an account, we'll send you a link to choose a new password.
account-forgotten-button = Send me a link
account-reset-title = Choose a new password
account-reset-lede = You'll be logged out everywhere. Then log in with your new password.
account-reset-button = Save new password
account-new-password = New password
account-password-now = Current password
account-change-password = Change password
account-address-title = Confirm your e-mail address
account-address-lede = Is { $address } your address?
account-address-button = Yes, confirm it
account-change-address = Change e-mail address
account-new-address = New e-mail address
account-new-address-help = We'll send a link to the new address. It takes effect once you've opened it.
account-confirmed = Confirmed
account-unconfirmed = Not confirmed yet
account-confirm-mail = Send the confirmation again
account-save = Save
account-devices-link = See your devices
flash-account-saved = Saved.
flash-reset-mailed = If this address has an account, a link is on its way. Check your spam folder, too.
flash-password-changed = Your password was changed.
flash-address-mailed = A link is on its way. Open it to confirm the address.
flash-address-confirmed = Thank you, the address is confirmed.
account-confirm-title = Enter your password
account-confirm-lede = What you're about to do can't be undone, so please confirm it's you. Then you can carry on.
account-confirm-button = Confirm

## Waiting room

queue-title = You are in line
queue-title-tab = { $ahead } ahead
queue-title-turn-tab = It is your turn!
queue-number = Your number
queue-ahead = ahead of you
queue-ahead-none = You are next.
queue-behind = Behind you
queue-seats-free = Seats still free
queue-wait = Estimated wait
queue-wait-about = about { $duration }
queue-wait-unknown = not yet known
queue-wait-unknown-why = Known as soon as the first people have finished.
queue-measured = Measured from the last few minutes, at { $time }.
queue-next-title = What happens next
queue-next-turn = When it is your turn, this page takes you to the seats automatically.
queue-next-close = You may close this page or use another device. Your number stays yours; come back when the line has moved on.
queue-next-away = If you are away when your turn comes, others go first and you are next when you return.
queue-next-stay = Inside you have { $minutes ->
        [one] { $minutes } minute
       *[other] { $minutes } minutes
    } to choose your seats.
queue-scarce = More people are ahead of you than seats are free. Held seats do come back, so your place is still worth keeping.
queue-parked = Your turn came while you were away. You are back, and you go in next.
queue-paused = The line is paused for a moment. Nobody is let in, and your place is kept.
queue-one-moment = One moment, your place is safe.
queue-one-moment-why = We are counting the line again. Your number does not change.
queue-offline = No connection just now. Your place is kept; trying again.
queue-gave-up = We could not reach the ticket office. Your place is kept.
queue-reload = Try again
queue-refreshes = This page refreshes automatically.
queue-sound-on = Play a sound when it is my turn
queue-sound-off = Sound is on
queue-announce-ahead = { $ahead } ahead of you
queue-your-turn-title = It is your turn
queue-your-turn-note = Your place inside is kept until { $time }. Take your time choosing.
queue-your-turn-enter = Choose your seats
queue-stay-left = Time left to choose
queue-stay-at-zero = Your time inside has ended.
queue-stay-minute = One minute left to choose.
queue-leave = Leave the line
queue-leave-note = You'll lose your number and can't get it back. You can still pay for seats you are holding.
queue-leave-question = Give up number { $number }?
queue-ended-completed-title = You have your tickets
queue-ended-completed-note = You're all set. Enjoy the show.
queue-ended-completed-action = See your tickets
queue-ended-cancelled-title = You left the line
queue-ended-cancelled-note = Your number was given up. You can join again at the end.
queue-ended-expired-title = Your time inside has ended
queue-ended-expired-note = Others are choosing now. You can join again at the end of the line.
queue-ended-closed-title = The sale has ended
queue-ended-closed-note = Nobody is let in any more. You can still pay for seats you are holding.
queue-ended-closed-action = See your reservations
queue-join-again = Join the line again
queue-refusal-number = This form is broken. Please go back to your place in line and try again.

## Seats

seat-title = Choose your seats
seat-title-zones = Choose your places
seat-lede = Up to { $count ->
        [one] { $count } seat
       *[other] { $count } seats
    }. They are held for { $minutes ->
        [one] { $minutes } minute
       *[other] { $minutes } minutes
    } while you pay.
seat-lede-zones = Up to { $count ->
        [one] { $count } place
       *[other] { $count } places
    }. They are held for { $minutes ->
        [one] { $minutes } minute
       *[other] { $minutes } minutes
    } while you pay.
seat-stay-left = Time left to choose
seat-best-title = Best seats together
seat-best-count = How many
seat-best-where = Where
seat-best-anywhere = Anywhere
seat-best-price = Price
seat-best-any-price = Any price
seat-best-none-title = No such seats are left together
seat-best-none = Ask for fewer, or for another section or price. Held seats come back when they are not paid.
seat-best-button = Pick for me
seat-map-label = Seat map. Use the arrow keys to move between seats and the space bar to choose.
seat-map-stage = Stage
seat-map-zoom-in = Zoom in
seat-map-zoom-out = Zoom out
seat-map-zoom-reset = Show the whole hall
seat-map-hint = Click a seat to find it in the list below.
seat-sections = Sections
seat-overview-hint = Choose one to see its seats. The number says how many are free.
seat-overview-shown = You are in { $section }. Open to see the others.
seat-overview-label = Sections around the stage
seat-overview-list = The same sections as a list
seat-section-label = { $section }: { $free } free, { $prices }
seat-free-count = { $free } free
seat-section-free = { $section }: { $free } free
seat-list = Choose from a list
seat-list-note = The same seats, row by row.
seat-row = Row { $row }
seat-name = Row { $row } seat { $number }
seat-name-full = { $section }, row { $row }, seat { $number }
seat-label = { $name }, { $amount }, { $status }
seat-status-free = free
seat-status-mine = yours
seat-status-taken = being bought
seat-status-sold = sold
seat-legend = What the marks mean
seat-legend-mine = Your choice
seat-legend-taken = Someone is buying it
seat-legend-sold = Sold
seat-chosen-none = Nothing chosen yet
seat-chosen-count = Chosen
seat-total = Total
seat-total-later = You see the total on the next page, before you pay.
seat-hold = Reserve seats
seat-limit-reached = That is the most you can choose: { $count }.
seat-gone = { $name } was just taken by someone else.
seat-priced-anew = The price of { $name } has changed: it costs { $amount } now.
seat-price-accept = Continue for { $amount }
seat-live-off = Live updates are paused. Reload to see the latest.
seat-taken-title = { $count ->
    [one] That seat was taken a moment ago
   *[other] Some of those seats were taken a moment ago
  }
seat-taken-which = No longer free: { $seats }
seat-alternatives = The nearest seats that are free
seat-alternative-take = Take these
seat-alternatives-none = No equal seats are left together. Choose others on the map.
seat-zone-remaining = { $free } left
seat-zone-sold-out = Sold out
seat-zone-quantity = How many
seat-zone-hold = Reserve
seat-waiting-title = Many people want this area at once
seat-waiting-ahead = Ahead of you
seat-waiting-estimate = Estimated wait
seat-waiting-about = about { $duration }
seat-waiting-place-kept = You keep your place while we try again.
seat-waiting-by-hand = Your place is kept for a few seconds. Press the button to try again.
seat-waiting-now = Try now
seat-waiting-next-try = Next try in a moment
seat-waiting-trying = Trying…
seat-waiting-gave-up = We tried several times. Press the button to go on; you may have to queue for this area again.
seat-waiting-other = Choose another area

## Reservations

reservation-title = Your reservation
reservation-list-title = Your reservations
reservation-list-empty = You have no reservations yet.
reservation-list-empty-action = See what is on sale
reservation-status-held = Held, not paid
reservation-status-confirmed = Paid
reservation-status-cancelled = Cancelled
reservation-status-expired = Hold ended
reservation-status-refunded = Refunded
reservation-list-pay = Pay now
reservation-list-view = Details
reservation-held-until = Held for you until { $time }
reservation-time-left = Time left to pay
reservation-at-zero = The hold has ended and your seats are free for others again.
reservation-at-minute = One minute left to pay.
reservation-zero-note = At zero the seats become free for others. Nothing is charged.
reservation-total = Total
reservation-renew = Two more minutes
reservation-renew-note = You can do this once, while nobody is waiting in line.
reservation-cancel-hold = Release seats
reservation-cancel-paid = Cancel and refund
reservation-refund-policy = { $percent }% refund to your wallet until { $when }. No refund after that.
reservation-refund-now = You get back { $amount }.
reservation-refund-over = The time for a refund has passed.
reservation-refund-question = Cancel all tickets of this reservation?
reservation-ended-title = The hold has ended
reservation-ended-note = Your seats went back on sale. Nothing was charged.
reservation-ended-again = Choose seats again
reservation-cancelled-note = The seats were released. Nothing was charged.
reservation-confirmed-title = The seats are yours
reservation-confirmed-note = Paid { $when }.
reservation-see-tickets = See your tickets
reservation-refunded-note = { $amount } went back to your wallet { $when }.
reservation-number = Reservation { $number }
reservation-standing = { $zone }, standing
reservation-refusal-seats = Please choose seats of this performance, each of them once.
reservation-refusal-zone = Please choose an area of this performance.
reservation-refusal-quantity = Please choose how many places.
reservation-refusal-price = Please choose one of the prices.
reservation-refusal-total = The price on this page is broken. Please go back and open the page again.
reservation-refusal-cursor = Please reload the map.

## Payment

payment-title = Payment
payment-balance = Usable points
payment-remaining = Left after paying
payment-pay = Pay { $amount }
payment-once-note = You are charged once, even if you press twice.
payment-short-title = { $amount } short
payment-short-note = Top up here and pay right away. Your seats stay reserved meanwhile.
payment-charge-needed = Top up { $amount }
payment-rest-by-card = Pay the rest by card
payment-rest-note = Buys exactly the { $amount } you are short of. Your seats are paid by themselves if the payment arrives in time; otherwise the points stay in your wallet.
flash-logged-out = You are logged out.
flash-session-ended = Logged out there.
flash-paid = Paid. Your tickets are here.
flash-released = The seats were released. Nothing was charged.
flash-refunded = The tickets are cancelled and the points are back in your wallet.

## Wallet

wallet-title = Wallet
wallet-balance = Balance
wallet-pending = Set aside
wallet-usable = You can use
wallet-debt = Owed
wallet-debt-note = A payment for your points was returned after you had spent them. Points you add cover these { $amount } first; you can use what is left.
wallet-charge-title = Add points
wallet-charge-other = Another amount
wallet-charge-amount = Amount
wallet-charge-help = 1 to { $max } points.
wallet-charge-button = Add points
wallet-refusal-amount = Please enter 1 to { $max } points.
wallet-refusal-send-amount = Please send at least one point.
wallet-refusal-kind = Please choose a kind from the list.
wallet-refusal-month = Please write the month like 2026-11.
wallet-refusal-after = This page of the history does not exist.
wallet-provider-demo = Demo provider
wallet-provider-demo-note = No real money moves. Top-ups are confirmed at once.
wallet-provider-stripe = Stripe
wallet-provider-stripe-note = You pay on the secure page of Stripe and come back here. We never see your card.
wallet-charge-price = One point costs { $price }.
flash-charged = Your points were added.
flash-sent = Your request is on its way. The points are set aside until your friend answers.
flash-renewed = Two more minutes were added.
wallet-send-title = Send points to a friend
wallet-send-to = Friend's e-mail
wallet-send-amount = Points
wallet-send-note = The points are set aside until your friend accepts. After { $days } days they come back automatically.
wallet-send-button = Send
wallet-requests-title = Waiting requests
wallet-request-incoming = { $name } wants to send you { $amount }
wallet-request-outgoing = { $amount } to { $name }
wallet-request-expires = Open until { $when }
wallet-request-view = Answer
wallet-request-question = Accept { $amount } from { $name }?
wallet-request-accept = Accept
wallet-request-reject = No, thank you
wallet-request-cancel = Cancel request
wallet-request-accepted = Accepted
wallet-request-rejected = Declined
wallet-request-cancelled = Cancelled
wallet-request-expired = Expired
wallet-request-pending = Waiting
wallet-request-note = If you decline, or do nothing, the points go back to { $name }.
wallet-request-done-accepted = { $amount } from { $name } is in your wallet.
wallet-request-done-rejected = The points went back to { $name }.
wallet-request-back = To your wallet
wallet-history-title = History
wallet-history-empty = Nothing has moved yet.
wallet-history-none-match = Nothing of this kind in this month.
wallet-history-when = When
wallet-history-what = What
wallet-history-amount = Points
wallet-history-pending = Set aside
wallet-history-balance = Balance
wallet-history-reference = Reference
wallet-filter-kind = Kind
wallet-filter-month = Month
wallet-filter-all-kinds = Everything
wallet-filter-all-months = All months
wallet-filter-button = Show
wallet-download = Download as CSV
wallet-kind-charge = Top-up
wallet-kind-purchase = Top-up, paid
wallet-kind-reversal = Payment returned
wallet-kind-reinstatement = Payment confirmed again
wallet-kind-payment = Payment
wallet-kind-refund = Refund
wallet-kind-transfer-hold = Set aside for a request
wallet-kind-transfer-release = Request ended, points returned
wallet-kind-transfer-out = Sent
wallet-kind-transfer-in = Received
wallet-kind-adjustment = Adjustment

## A charge at the payment provider

charge-title = Payment
charge-credited-badge = Done
charge-credited-title = { $amount } were added
charge-paid-title = Your seats are paid
charge-gone-note = Your seats were no longer reserved when the payment arrived. The points stay in your wallet.
charge-returned-badge = Returned
charge-returned-title = The money was returned
charge-returned-note = So the points it bought were taken back.
charge-unpaid-badge = Not paid
charge-unpaid-title = You have not paid yet
charge-unpaid-note = Nothing was charged. You can still finish the payment.
charge-checking-badge = Being checked
charge-checking-title = We are checking your payment
charge-checking-note = If you paid, the points come by themselves, even if you close this page. It asks again every few seconds.
charge-ended-badge = Not paid
charge-ended-title = The payment was not completed
charge-ended-note = Nothing was charged. Should money still arrive, it becomes points.
charge-points = Points
charge-price = Price
charge-continue = Continue
charge-pay = Go to the payment page
charge-back = Back
charge-number = Charge { $number }

## Tickets

ticket-list-title = Your tickets
ticket-list-upcoming = Coming up
ticket-list-past = Past
ticket-list-empty = No tickets yet. They appear here as soon as you have paid.
ticket-title = Ticket
ticket-of = Ticket { $index } of { $total }
ticket-admit = Admits one
ticket-holder = Name
ticket-when = When
ticket-where = Where
ticket-seat = Seat
ticket-price = Price
ticket-code = Code
ticket-qr-alt = QR code of this ticket
ticket-show-at-door = Show this code at the door, with the screen at full brightness.
ticket-print = To keep it on paper, print this page.
ticket-calendar = Add to calendar
ticket-reservation = To the reservation
ticket-previous = Previous ticket
ticket-next = Next ticket
ticket-status-valid = Valid
ticket-status-used = Used
ticket-status-void = Cancelled
ticket-used-note = Checked in { $when }.
ticket-void-note = This ticket was refunded and is no longer valid.

## Mail
mail-greeting = Hello { $name },
mail-footer = This mail was sent automatically. Please don't reply to it.
mail-greeting-plain = Hello,
mail-reset-subject = Choose a new password
mail-reset-lede = Somebody asked for a new password for your Stagedoor account. The link works once, for { $count } minutes.
mail-reset-action = Choose a new password
mail-reset-note = If it wasn't you, you can ignore this mail. Your password stays as it is.
mail-confirm-subject = Confirm your e-mail address
mail-confirm-lede = Confirm that this address is yours. The link works once, for a day.
mail-confirm-action = Confirm this address
mail-confirm-note = If you don't have a Stagedoor account, you can ignore this mail.
mail-password-subject = Your password was changed
mail-password-lede = The password of your Stagedoor account was changed, and your other devices were logged out. If it wasn't you, choose a new password now.
mail-password-action = Choose a new password
mail-change-subject = Your e-mail address is about to change
mail-change-lede = Somebody who is logged in to your Stagedoor account asked to change its address to { $address }. It changes as soon as that address is confirmed. If it wasn't you, choose a new password now.
mail-changed-subject = Your e-mail address was changed
mail-changed-lede = The address of your Stagedoor account is now { $address }. Use it to log in from now on.
mail-changed-note = If it wasn't you, please contact the ticket office.
mail-fact-program = Show
mail-fact-when = When
mail-fact-venue = Where
mail-fact-seats = Seats
mail-fact-total = Total
mail-fact-refunded = Refunded
mail-places = { $zone } × { $count }
mail-paid-subject = Your tickets for { $title }
mail-paid-lede = You're all set. Your tickets are ready.
mail-paid-action = See your tickets
mail-paid-note = Show the QR code of each ticket at the door.
mail-refunded-subject = Refund for { $title }
mail-refunded-lede = Your reservation was refunded, and the points are back in your wallet. Its tickets are no longer valid.
mail-refunded-action = See your wallet

## Administration and the door

admin-nav-label = Admin
admin-nav-today = Overview
admin-nav-mails = Mail
admin-nav-audit = Log
admin-search = Search
admin-home-title = Overview
admin-home-none = Nothing is on sale or coming up.
admin-home-charges = Today's card payments (CSV)
admin-refusal-day = Please write the day like 2026-11-22.
admin-home-log = Recent activity
admin-state-on-sale = On sale
admin-state-coming = Coming
admin-state-paused = Line paused
admin-state-winding-down = Being cancelled
admin-queue-waiting = Waiting
admin-queue-inside = Inside
admin-mails-title = Mail
admin-mails-lede = What people were told by mail, the newest first.
admin-mails-kept = No mail server is set (SMTP_URL), so mail is kept here and not sent.
admin-mails-empty = No mail here.
admin-mails-all = All
admin-mail-state-waiting = Waiting
admin-mail-state-sent = Sent
admin-mail-state-failed = Failed
admin-mail-kind-reset-password = New password
admin-mail-kind-confirm-address = Confirm address
admin-mail-kind-password-changed = Password changed
admin-mail-kind-address-change-asked = Change of address
admin-mail-kind-address-changed = Address changed
admin-mail-kind-reservation-paid = Tickets bought
admin-mail-kind-reservation-refunded = Refund
admin-mail-to = To { $address }
admin-mail-written = Written { $when }
admin-mail-ended = { $state } { $when }
admin-mail-attempts = { $count ->
    [one] One failed attempt
   *[other] { $count } failed attempts
  }
admin-mail-error = Last error: { $error }
admin-mail-unreadable = This mail can't be shown: { $why }.
admin-mail-html = Show as HTML
admin-mail-again = Send again
admin-mail-back = All mail
admin-audit-title = Log
admin-audit-lede = Every change made here and at the door, with the state before and after. Entries cannot be changed or removed.
admin-audit-who = Beginning of a name or e-mail
admin-audit-subject = Changed item (number)
admin-audit-empty = No activity yet.
admin-act-checked-in = let in
admin-act-check-in-undone = undid a check-in
door-title = Door
door-choose = Which performance?
door-none = No performance is near.
door-other = Change performance
door-ready = Scan a ticket
door-in = Admit
door-undo = Undo
door-undone = Undone. The ticket is valid again.
door-code = Ticket code
door-check = Check
door-camera = Scan with the camera
door-camera-off = Close the camera
door-offline = No connection. Scan again: a ticket admits only once, however often it is sent.
door-counts = Inside
door-counting = Counting the tickets; you can keep scanning.
admin-nav-programs = Programs
admin-nav-venues = Venues
admin-save = Save
admin-cancel = Cancel
admin-none-found = Nothing found.
admin-programs-title = Programs
admin-program-new = New program
admin-program-search = Title or web address
admin-program-publish = Publish
admin-program-title = Title
admin-program-slug = Name in the web address
admin-program-slug-help = Small letters, digits and hyphens.
admin-program-description = Description
admin-program-sale = Sale
admin-program-opens = Opens
admin-program-closes = Closes
admin-program-places = Seats per person
admin-program-hold = Time to pay (minutes)
admin-program-fixed = Applies to new holds only.
admin-program-length = Minutes, or 4:30 for four and a half. Applies to what begins after saving.
admin-program-queue = Line
admin-program-stay = Time to choose seats (minutes)
admin-program-refund = Refund
admin-program-refund-hours = Refundable until (hours before start)
admin-program-refund-percent = Refund (percent)
admin-queue-capacity = People inside at once
admin-queue-capacity-help = Empty: no limit, no line.
admin-queue-rate = Admissions per second
admin-queue-rate-help = Empty: as many as there is room for.
admin-status-draft = Draft
admin-status-published = Published
admin-status-cancelled = Cancelled
admin-schedules = Performances
admin-schedules-none = No performance yet. Add one below, then its prices; then publish.
admin-schedule-new = Add a performance
admin-schedule-venue = Venue (seats)
admin-schedule-starts = Starts, on the venue's clock
admin-schedule-add = Add
admin-schedule-move = Move
admin-schedule-seats = Seats
admin-section = Section
admin-row = Row (empty: all)
admin-numbers = Numbers (empty: all)
admin-price = Price, points
admin-prices-help = One price per section. Leave a field empty to keep its price. Seats that are held or sold keep theirs.
admin-prices-save = Set prices
admin-prices-pending = The new prices are being written, seat by seat. Each seat is sold at the price its map shows; reload to see how far it is.
admin-inventory-sold = Sold
admin-inventory-held = Held
admin-inventory-free = Free
admin-inventory-blocked = Off sale
admin-blocks = Take seats off sale, or put them back
admin-blocks-help = Seats that are held or sold cannot be taken off sale.
admin-block = Take off sale
admin-unblock = Put back on sale
admin-zones = Zones, standing
admin-zone-new = Add a zone
admin-zone-add = Add
admin-zone-name = Name
admin-zone-capacity = Places
admin-zone-left = { $remaining } left
admin-venues-title = Venues
admin-venue-new = New venue
admin-venue-name = Name
admin-venue-address = Address
admin-venue-zone = Time zone
admin-venue-zone-help = Such as Asia/Seoul.
admin-venue-seats = Seats
admin-venue-drawing = The seats from above
admin-plan-title = Does this look right?
admin-plan-lede = { $venue } has { $before } seats and would have { $after }. Nothing is saved yet.
admin-plan-from-csv = From a CSV
admin-plan-csv-help = Columns section, row, number and, if you have them, x, y. Seats that are not in the file are removed.
admin-plan-file = File
admin-plan-text = or pasted
admin-plan-from-grid = From a grid
admin-plan-grid-help = One line per section: name, rows, seats per row.
admin-plan-grid = Sections
admin-plan-preview = Preview
admin-plan-save = Save these seats
admin-plan-empty = there is no seat in it
admin-plan-column = the column { $text } is missing
admin-plan-shape = the line cannot be read: { $text }
admin-plan-name = a section or a row has no usable name: “{ $text }”
admin-plan-number = “{ $text }” is no whole number above zero
admin-plan-place = “{ $text }” is no place on the map
admin-plan-twice = the same seat stands in line { $text }
admin-plan-too-many = a venue can have { $text } seats
admin-meanwhile = { $who } changed this { $when }:
admin-refusal-version = This form is broken. Please go back and open the page again.
admin-refusal-slug = Small letters, digits and single hyphens, 80 at most.
admin-refusal-title = Please enter a name.
admin-refusal-description = That is too long.
admin-refusal-moment = Please enter a date and a time.
admin-refusal-moment-twice = The clocks go back then, so this time comes twice. Please choose which one you mean.
admin-refusal-moment-skipped = The clocks go forward then, so this time never comes. Please choose another.
admin-moment-clock = Times are on the clock of { $zone }.
admin-moment-which = This time comes twice
admin-moment-choose = Please choose
admin-moment-first = The first one, before the clocks go back (UTC{ $offset }, { $zone })
admin-moment-second = The second one, after the clocks go back (UTC{ $offset }, { $zone })
admin-refusal-closes-first = The sale must close after it opens.
admin-refusal-number = That number is out of range.
admin-refusal-positive = Please enter a whole number above zero.
admin-refusal-price = Please enter prices as whole points.
admin-refusal-section = Please choose a section.
admin-refusal-section-twice = A section is listed twice. Please give it one price.
admin-refusal-seats = Please write seat numbers like 1-4, 7.
admin-refusal-act = Please say what to do.
admin-refusal-venue = Please choose a venue.
admin-refusal-zone = No time zone has this name.
admin-act-program-created = created a program
admin-act-program-edited = edited a program
admin-act-program-published = published a program
admin-act-program-cancelled = cancelled a program
admin-act-venue-created = created a venue
admin-act-venue-edited = edited a venue
admin-act-seats-replaced = replaced the seats
admin-act-schedule-created = added a performance
admin-act-schedule-edited = moved a performance
admin-act-prices-set = set prices
admin-act-seats-blocked = took seats off sale
admin-act-seats-unblocked = put seats back on sale
admin-act-zone-created = added a zone
admin-act-zone-edited = edited a zone
admin-act-mail-sent-again = sent a mail again
flash-admin-mail-due = The mail will be sent again.
flash-admin-saved = Saved.
flash-admin-published = Published. Everybody can see it now.
admin-reason = Reason
admin-refusal-reason = Please give a reason, 3 to 300 characters.
admin-refusal-waiting = Nobody with this number or address is waiting.
admin-queue-title = Line
admin-queue-parked = Away when called
admin-queue-minute = Let in, last minute
admin-queue-estimate = The last in line
admin-queue-unknown = not yet known
admin-queue-predicted = { $rate } a minute, { $minutes } min
admin-queue-limits = Limits
admin-queue-predict = Predict
admin-queue-apply = Apply
admin-queue-then = Now: { $now }. With these: { $then }.
admin-queue-pause = Pause the line
admin-queue-resume = Resume
admin-queue-is-paused = The line is paused: nobody is let in, everybody keeps their place.
admin-chart-length-label = People waiting in the last hour, peak { $top }
admin-chart-length = waiting
admin-chart-arrivals-label = The last hour: { $joined } joined
admin-chart-arrivals = joined a minute
admin-chart-gate-label = The last hour: { $admitted } let in, { $freed } left
admin-chart-admitted = let in a minute
admin-chart-freed = left a minute
admin-chart-top = peak { $top }
admin-chart-hour = The last hour, minute by minute, read { $time }. Minutes nobody counted are left out.
admin-let-in = Let one person in
admin-let-in-who = Number or e-mail
admin-let-in-help = Out of order and beyond the limit. The log keeps who did it and why.
admin-purge = Clear the line
admin-purge-question = Everyone waiting loses their place: { $waiting }. People already inside stay. This cannot be undone.
admin-purge-start = Clear the line
admin-purge-running = The line is being cleared
admin-purge-done = The line is cleared
admin-purge-progress = { $taken } of { $total }
admin-purge-continues = It continues even if you close this page.
admin-act-queue-changed = changed the line
admin-act-queue-paused = paused the line
admin-act-queue-resumed = resumed the line
admin-act-let-in = let somebody in
admin-act-queue-purged = cleared a line
admin-cancel-title = Cancel the program
admin-cancel-question = Sales stop. The line is cleared, holds are released, tickets become invalid and their points are refunded. A reservation whose every ticket was used at the door is not refunded. This cannot be undone.
admin-cancel-program = Cancel this program
admin-cancel-running = Everything is being refunded. You may leave this page.
admin-cancel-done = Everything was refunded.
admin-cancel-held = Holds
admin-cancel-paid = Paid reservations
admin-cancel-back = Released or refunded
admin-cancel-refunded = Refunded
admin-cancel-used = Used at the door, kept
flash-admin-cancelled = Cancelled. Everything is being refunded now.
admin-nav-reservations = Reservations
admin-people-title = People
admin-people-search = Beginning of a name or e-mail, or a number
admin-person-locked = Locked
admin-person-locked-since = Locked since { $when }: signed out everywhere, and cannot sign in.
admin-person-since = With us since
admin-person-acts = What you can do
admin-role = Role
admin-role-change = Change the role
admin-role-customer = Customer
admin-role-staff = Staff at the door
admin-role-admin = Admin
admin-lock = Lock the account
admin-unlock = Unlock the account
admin-adjust = Adjust balance
admin-adjust-amount = Points (negative to deduct)
admin-adjust-button = Adjust
admin-refusal-role = Please choose a role.
admin-refusal-amount = Please enter points other than zero, 10,000,000 at most.
admin-refusal-share = Please choose how much goes back.
admin-timeline = Everything, newest first
admin-timeline-empty = Nothing has happened yet.
admin-moment-joined = Joined the line of { $subject }, number { $amount }
admin-moment-admitted = Let in to { $subject }, number { $amount }
admin-moment-completed = Finished buying { $subject }
admin-moment-stay-over = Time inside { $subject } ran out
admin-moment-left = Left the line of { $subject }
admin-moment-held = Held seats of { $subject }, { $amount } points
admin-moment-paid = Paid for { $subject }, { $amount } points
admin-moment-released = Released seats of { $subject }
admin-moment-expired = A hold of { $subject } ran out
admin-moment-refunded = Refunded for { $subject }
admin-moment-let-in = Let in at the door, ticket …{ $subject }
admin-moment-points = { $subject }: { $amount } points
admin-moment-act = Staff: { $subject }
admin-reservations-search = Beginning of an e-mail or name, or a number
admin-refund = Refund
admin-refund-agreed = As agreed
admin-refund-all = Full amount
admin-refund-button = Refund
admin-act-account-locked = locked an account
admin-act-account-unlocked = unlocked an account
admin-act-role-changed = changed a role
admin-act-points-adjusted = adjusted a balance
admin-act-refunded = refunded a reservation
admin-sales-title = Sales
admin-download = Download as CSV
admin-inventory-figures = { $sold } sold, { $held } held, { $free } free
admin-used = Let in

## Errors: for each code what happened, what it means for you, and one way on

error-request-id = If you contact us, please mention { $id }.

error-link-dead-title = This link doesn't work any more
error-link-dead-detail = It was used already, or it is too old. Get a new one; it takes a minute.
error-link-dead-action = Send me a new link
error-address-link-dead-title = This link doesn't work any more
error-address-link-dead-detail = It was used already, or it is too old. You can get a new one on your account page.
error-address-link-dead-action = To your account
error-mail-not-failed-title = This mail isn't failed
error-mail-not-failed-detail = Only mail that failed can be sent again; this one is waiting, or was sent.
error-mail-not-failed-action = See the mail
error-not-admitted-title = It is not your turn yet
error-not-admitted-detail = The seats open to you when your number comes up. Your place in line is safe.
error-not-admitted-action = Back to your place in line
error-account-too-new-title = Your account is still new
error-account-too-new-detail = You can join this line from { $when }.
error-account-too-new-action = Back to the program
error-cool-down-title = Take a short break
error-cool-down-detail = Several of your holds ended without payment. You can hold seats here again from { $when }. You can still pay for seats you are holding.
error-cool-down-action = Back to the program
error-proof-required-title = One quick check first
error-proof-required-detail = Joining this line takes a short calculation, which your browser does for you.
error-proof-required-action = Continue
error-address-limit-title = Your network has reached its limit
error-address-limit-detail = As many people as this program allows have joined from your network. Another network, such as mobile data, works.
error-address-limit-action = Back to the program
error-not-found-title = There is nothing here
error-not-found-detail = The address may be mistyped, or the page was taken down.
error-not-found-action = See all programs
error-wrong-token-title = This door needs the rehearsal's token
error-wrong-token-detail = The token that was sent is not REHEARSAL_TOKEN of this deployment.
error-wrong-token-action = Back to the start
error-stage-limit-title = Too many rehearsals at once
error-stage-limit-detail = Other rehearsals are still running. Wait until they end.
error-stage-limit-action = Back to the start
error-too-many-people-title = A rehearsal cannot have that many people
error-too-many-people-detail = A rehearsal has 1 to { $people } people.
error-too-many-people-action = Back to the start
error-login-required-title = Please log in
error-login-required-detail = This page belongs to an account. Log in to pick up where you left off.
error-login-required-action = Log in
error-account-locked-title = This account is locked
error-account-locked-detail = Please write to the organiser if you think that this is a mistake.
error-account-locked-action = See all programs
error-confirmation-required-title = Please confirm it's you
error-confirmation-required-detail = This can't be undone, so it needs your password first. Nothing was changed.
error-confirmation-required-action = Back to the start
error-wrong-password-title = That password isn't right
error-wrong-password-detail = That password isn't right. Nothing was changed. Please try again.
error-wrong-password-action = Try again
error-wrong-credentials-title = That did not match
error-wrong-credentials-detail = E-mail and password do not belong together. Please check both.
error-wrong-credentials-action = Try again
error-email-taken-title = There is an account already
error-email-taken-detail = This e-mail address is in use. If it is yours, log in.
error-email-taken-action = Log in
error-invalid-title = Something needs a second look
error-invalid-detail = One or more entries are not valid. Nothing was changed.
error-invalid-action = Go back and fix it
error-bad-request-title = We could not read that
error-bad-request-detail = The request was incomplete or garbled. Nothing was changed.
error-bad-request-action = See all programs
error-cross-site-title = That came from another site
error-cross-site-detail = For your safety we only act on forms of our own pages. Nothing was changed.
error-cross-site-action = See all programs
error-forbidden-title = This door is for staff
error-forbidden-detail = Your account may not open this page.
error-forbidden-action = See all programs
error-rehearsed-title = This belongs to a rehearsal
error-rehearsed-detail = Nothing was changed. What a rehearsal made goes away when the rehearsal ends.
error-rehearsed-action = Back to the overview
error-rate-limited-title = A little slower, please
error-rate-limited-detail = Too many tries in a short time. Wait a moment, then try again. Your place, seats and points are safe.
error-rate-limited-action = Try again
error-token-already-issued-title = You are already in line
error-token-already-issued-detail = One place for each person. Yours is kept, with the number you have.
error-token-already-issued-action = Back to your place in line
error-sale-not-open-title = The sale has not opened yet
error-sale-not-open-detail = It opens { $when }.
error-sale-not-open-action = Back to the program
error-sale-closed-title = The sale has ended
error-sale-closed-detail = No new seats can be reserved. You can still pay for seats you are holding.
error-sale-closed-action = See your reservations
error-no-token-title = You are not in line
error-no-token-detail = There is no number in your name for this program.
error-no-token-action = Join the line
error-seat-unavailable-title = Someone was a moment faster
error-seat-unavailable-detail = A seat of your choice was just taken. Nothing was held or charged.
error-seat-unavailable-action = Choose other seats
error-sold-out-title = Every place is taken
error-sold-out-detail = Nothing is left here right now. Held places come back when they are not paid.
error-sold-out-action = Choose another area
error-price-changed-title = The price has changed
error-price-changed-detail = { $total ->
    [one] What you chose costs { $total } point now. Nothing was held or charged.
   *[other] What you chose costs { $total } points now. Nothing was held or charged.
  }
error-price-changed-action = See the new prices
error-already-processing-title = We are already on it
error-already-processing-detail = Your first request is still being worked on. Nothing is done twice.
error-already-processing-action = See how it went
error-account-limit-title = You have reached the limit
error-account-limit-detail = Each person can take up to { $count ->
        [one] { $count } seat
       *[other] { $count } seats
    } of this program.
error-account-limit-action = See your reservations
error-too-many-title = Too many at once
error-too-many-detail = Please choose up to { $count ->
        [one] { $count } seat
       *[other] { $count } seats
    }.
error-too-many-action = Choose again
error-waiting-title = Many people want this area at once
error-waiting-detail = You keep your place in its short line. Try again in a few seconds.
error-waiting-action = Try now
error-hold-expired-title = The hold has ended
error-hold-expired-detail = The seats went back on sale and nothing was charged.
error-hold-expired-action = Choose seats again
error-not-renewable-title = No more time this time
error-not-renewable-detail = A hold can be prolonged once, and only while nobody waits in line.
error-not-renewable-action = Back to your reservation
error-invalid-state-title = That is no longer possible
error-invalid-state-detail = The reservation has changed in the meantime. Here is how it stands now.
error-invalid-state-action = Back to your reservation
error-refund-over-title = The time for a refund has passed
error-refund-over-detail = Your tickets stay valid. Nothing was changed.
error-refund-over-action = See your tickets
error-already-paid-title = Already paid
error-already-paid-detail = This reservation was paid before. You were charged once.
error-already-paid-action = See your tickets
error-ticket-used-title = A ticket was used
error-ticket-used-detail = It was already used at the door, so this reservation cannot be refunded. Nothing was changed.
error-ticket-used-action = See your tickets
error-insufficient-points-title = Not enough points
error-insufficient-points-detail = You can use { $balance } points; this needs { $needed }.
error-insufficient-points-action = Add points
error-key-reused-title = That form was used before
error-key-reused-detail = It was sent once with other contents. Open the page again and try once more; nothing was done twice.
error-key-reused-action = Open the page again
error-contended-title = Too many changes at once
error-contended-detail = Nothing was changed; please try again.
error-contended-action = Try again
error-wallet-full-title = Your wallet is full
error-wallet-full-detail = It cannot hold that many points. Nothing was charged.
error-wallet-full-action = Back to your wallet
error-provider-away-title = The payment provider does not answer
error-provider-away-detail = Nothing was charged. Please try again in a moment.
error-provider-away-action = Back to your wallet
error-provider-refused-title = The payment provider refused
error-provider-refused-detail = Nothing was charged. The amount may be too small or too large; please try another.
error-provider-refused-action = Back to your wallet
error-self-transfer-title = That is you
error-self-transfer-detail = Points can be sent to someone else only.
error-self-transfer-action = Back to your wallet
error-unknown-recipient-title = Nobody with that address
error-unknown-recipient-detail = We know no account with this e-mail. Please check the spelling.
error-unknown-recipient-action = Back to your wallet
error-transfer-limit-title = Too many open requests
error-transfer-limit-detail = You have { $limit } requests that nobody has answered yet. Cancel one first.
error-transfer-limit-action = Back to your wallet
error-already-settled-title = This was answered before
error-already-settled-detail = The request is closed. Your wallet shows how it ended.
error-already-settled-action = Back to your wallet
error-expired-title = The request has expired
error-expired-detail = The points went back to the person who sent them.
error-expired-action = Back to your wallet
error-method-not-allowed-title = That does not work here
error-method-not-allowed-detail = This address exists, but not for this kind of request.
error-method-not-allowed-action = See all programs
error-request-timeout-title = That took too long
error-request-timeout-detail = Your request did not arrive in full. Nothing was changed; please try again.
error-request-timeout-action = Try again
error-body-too-large-title = That is too much at once
error-body-too-large-detail = The request is larger than we accept. Nothing was changed.
error-body-too-large-action = Go back
error-unsupported-media-type-title = We do not know that format
error-unsupported-media-type-detail = Please send a form or JSON. Nothing was changed.
error-unsupported-media-type-action = See all programs
error-internal-title = Something broke on our side
error-internal-detail = It is not your fault. Your place in line, your seats and your points are safe.
error-internal-action = Try again
error-unavailable-title = One moment, please
error-unavailable-detail = The ticket office does not answer just now. Whatever you sent is done once or not at all; repeating it is safe.
error-unavailable-action = Try again
error-ticket-unknown-title = No such ticket
error-ticket-unknown-detail = We never issued this code.
error-ticket-unknown-action = Scan again
error-ticket-void-title = Not valid
error-ticket-void-detail = This ticket was refunded, or its program was cancelled.
error-ticket-void-action = Scan again
error-ticket-already-in-title = Already inside
error-ticket-already-in-detail = First let in { $when }
error-ticket-already-in-action = Scan again
error-ticket-elsewhere-title = Another performance
error-ticket-elsewhere-detail = { $program }, { $when }
error-ticket-elsewhere-action = Scan again
error-ticket-too-early-title = Too early
error-ticket-too-early-detail = { $program }, { $when }. Admission starts { $door }.
error-ticket-too-early-action = Scan again
error-ticket-too-late-title = Too late
error-ticket-too-late-detail = { $program }, { $when }. Admission ended { $door }.
error-ticket-too-late-action = Scan again
error-undo-over-title = Too late to undo
error-undo-over-detail = A check-in can be undone for one minute.
error-undo-over-action = Scan again
error-changed-meanwhile-title = Someone else changed this meanwhile
error-changed-meanwhile-detail = It was changed after you opened it, and your changes are not saved yet. Review the changes, then save again to keep yours.
error-changed-meanwhile-action = Open it again
error-slug-taken-title = That name is taken
error-slug-taken-detail = Another program has this name in its web address.
error-slug-taken-action = Choose another
error-moment-taken-title = There is a performance already
error-moment-taken-detail = The program has a performance at this moment. Nothing was saved.
error-moment-taken-action = Choose another time
error-zone-taken-title = That name is taken
error-zone-taken-detail = The performance has a zone of this name. Nothing was saved.
error-zone-taken-action = Choose another
error-no-such-section-title = There is no such section
error-no-such-section-detail = The venue's seats have changed. Nothing was saved; reload the page and try again.
error-no-such-section-action = Reload the page
error-nothing-to-sell-title = There is nothing to sell yet
error-nothing-to-sell-detail = Add a performance with priced seats or a zone, then publish.
error-nothing-to-sell-action = Back to the program
error-wrong-status-title = That is no longer possible
error-wrong-status-detail = The program is published or cancelled already.
error-wrong-status-action = Back to the program
error-seats-in-use-title = Those seats are in use
error-seats-in-use-detail = Held, sold or on sale, so nothing was changed: { $seats }
error-seats-in-use-action = Choose others
error-no-such-seats-title = There are no such seats
error-no-such-seats-detail = The performance has no seats there. Nothing was changed.
error-no-such-seats-action = Choose others
error-places-in-use-title = More places are taken
error-places-in-use-detail = More places are held or sold than the zone would have. Nothing was changed.
error-places-in-use-action = Choose another number
error-invalid-plan-title = The seats cannot be read
error-invalid-plan-detail = Line { $line }: { $problem }. Nothing was imported.
error-invalid-plan-action = Fix it and try again
error-own-account-title = This is your own account
error-own-account-detail = Nobody locks themselves out or changes their own role. Ask another admin.
error-own-account-action = Back

proof-title = One quick check
proof-why = Many people want these seats. A short check keeps programs from taking the whole line.
proof-working = { $secs ->
    [one] Your browser is working on it. This takes about a second, and then you join automatically.
   *[other] Your browser is working on it. This takes about { $secs } seconds, and then you join automatically.
}
proof-wait-why = { $secs ->
    [one] If your browser can't run the check, wait instead: about a second, longer if others on your network wait too.
   *[other] If your browser can't run the check, wait instead: about { $secs } seconds, longer if others on your network wait too.
}
proof-wait = Start waiting
proof-waiting = You can join at { $time }. This page reloads by itself until then.
proof-join = Join the line

admin-guards = Against hoarding
admin-guards-help = Leave a field empty to switch a rule off. Changes apply to whoever joins or holds from now on.
admin-guard-age-mins = Account is at least (minutes) old
admin-guard-proof-secs = Work when joining
admin-guard-off = Off
admin-guard-about = About { $secs } s
admin-guard-per-address = People per network
admin-guard-unpaid = Unpaid holds before a break
admin-guard-cool-down-mins = Length of the break (minutes)
admin-guards-no-effect = No rule has refused or slowed anybody yet.
admin-guard-effect = { $refused } refused, { $slowed } slowed
admin-guard-age = New accounts
admin-guard-proof = Work when joining
admin-guard-address = People per network
admin-guard-cool-down = Unpaid holds
admin-refusal-cool-down = Fill in both: how many unpaid holds, and how long the break is.
