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
tickets-count = { $count ->
    [one] { $count } ticket
   *[other] { $count } tickets
  }

## Dates

date-weekday-1 = Mon
date-weekday-2 = Tue
date-weekday-3 = Wed
date-weekday-4 = Thu
date-weekday-5 = Fri
date-weekday-6 = Sat
date-weekday-7 = Sun
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
date-day = { $weekday } { $day } { $month } { $year }
date-day-time = { $date }, { $time }
date-month-year = { $month } { $year }
date-minutes = { $minutes } min
date-minutes-range = { $from }–{ $to } min
date-less-than-a-minute = less than a minute
date-hours-minutes = { $hours } h { $minutes } min

## Layout

layout-title = { $page } · Stagedoor
layout-skip = Skip to the content
layout-nav-label = Main
layout-programs = Programs
layout-reservations = Reservations
layout-tickets = Tickets
layout-door = Door
layout-admin = Desk
layout-wallet = Wallet
layout-requests-waiting = { $count ->
    [one] { $count } person wants to send you points
   *[other] { $count } people want to send you points
  }
layout-log-in = Log in
layout-sign-up = Sign up
layout-log-out = Log out
layout-language-other = 한국어
layout-promise = Your place in line, your seat and your points are never lost and never sold twice.
layout-time-zone = All times are { $zone } time.

## Words used by several pages

common-back-home = See all programs
common-back-to-line = Back to your place in line
common-back-to-program = Back to the program
common-next-page = Show older
common-first-page = Back to the newest
common-refusal-request-key = This form is broken. Please open the page anew.

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
program-no-line-note = There is no line at the moment. You go straight to the seats.
program-in-line = You are in line with number { $number }.
program-inside = It is your turn. Your place inside is kept until { $time }.
program-go-inside = Choose your seats
program-sale-ends = On sale until { $when }
program-opens = The sale opens { $when }
program-opens-in = Opens in
program-opened = The sale is open. Join the line now.
program-opens-note = The page opens by itself, and everyone who joins gets a number in the order they came.
program-closed-title = The sale has ended
program-closed-note = Seats that you hold can still be paid. You find them under your reservations.
program-sold-out-title = Every seat is sold
program-sold-out-note = When a hold ends unpaid its seats come back, so another look can be worth it.
program-look-again = Look again
program-cancelled-title = This program was cancelled
program-cancelled-note = Paid tickets are refunded to your wallet in full. There is nothing you need to do.
program-how = How it works
program-how-line = Take a number. The line moves in that order and no other.
program-how-seats = When it is your turn you have { $minutes } minutes to choose.
program-how-hold = Your choice is held for { $minutes } minutes while you pay.
program-how-max = Up to { $count } seats for each person.

## Accounts

account-sign-up-title = Create an account
account-sign-up-lede = One account for your place in line, your points and your tickets.
account-sign-up-button = Create account
account-have-one = Already have an account?
account-log-in-title = Welcome back
account-log-in-button = Log in
account-log-in-to-go-on = Log in to go on where you were.
account-none-yet = New here?
account-email = E-mail
account-name = Name
account-name-help = As it should stand on your tickets.
account-password = Password
account-password-help = At least { $count } characters. A short sentence is easy to remember.
account-demo = Demo log-in: { $email }, password { $password }
account-refusal-email = That does not look like an e-mail address.
account-refusal-name = Please tell us your name.
account-refusal-password = Please use 8 to 256 characters.

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
queue-next-turn = When it is your turn this page takes you to the seats by itself.
queue-next-close = You may close this page or use another device. Your number stays yours; come back when the line has moved on.
queue-next-away = If you are away when your turn comes, others go first and you are next when you return.
queue-next-stay = Inside you have { $minutes } minutes to choose your seats.
queue-scarce = More people are ahead of you than seats are free. Held seats do come back, so your place is still worth keeping.
queue-parked = Your turn came while you were away. You are back, and you go in next.
queue-paused = The line is paused for a moment. Nobody is let in, and your place is kept.
queue-one-moment = One moment, your place is safe.
queue-one-moment-why = We are counting the line again. Your number does not change.
queue-offline = No connection just now. Your place is kept; trying again.
queue-gave-up = We could not reach the ticket office. Your place is kept.
queue-reload = Try again
queue-refreshes = This page refreshes by itself.
queue-sound-on = Play a sound when it is my turn
queue-sound-off = Sound is on
queue-announce-ahead = { $ahead } ahead of you
queue-your-turn-title = It is your turn
queue-your-turn-note = Your place inside is kept until { $time }. Choose your seats in peace.
queue-your-turn-enter = Choose your seats
queue-stay-left = Time left to choose
queue-stay-at-zero = Your time inside has ended.
queue-stay-minute = One minute left to choose.
queue-leave = Leave the line
queue-leave-note = Your number is given up and cannot be had again. Seats you hold stay payable.
queue-leave-question = Give up number { $number }?
queue-ended-completed-title = You have your tickets
queue-ended-completed-note = Your place in line is done. Enjoy the show.
queue-ended-completed-action = See your tickets
queue-ended-cancelled-title = You left the line
queue-ended-cancelled-note = Your number was given up. You can join again at the end.
queue-ended-expired-title = Your time inside has ended
queue-ended-expired-note = Others are choosing now. You can join again at the end of the line.
queue-ended-closed-title = The sale has ended
queue-ended-closed-note = Nobody is let in any more. Seats that you hold can still be paid.
queue-ended-closed-action = See your reservations
queue-join-again = Join the line again
queue-refusal-number = Say which number you give up.

## Seats

seat-title = Choose your seats
seat-title-zones = Choose your places
seat-lede = Up to { $count } seats. They are held for { $minutes } minutes while you pay.
seat-stay-left = Time left to choose
seat-best-title = Best seats together
seat-best-count = How many
seat-best-where = Where
seat-best-anywhere = Anywhere
seat-best-button = Pick for me
seat-map-label = Seat map. Use the arrow keys to move between seats and the space bar to choose.
seat-map-stage = Stage
seat-map-zoom-in = Zoom in
seat-map-zoom-out = Zoom out
seat-map-zoom-reset = Show the whole room
seat-map-hint = Click a seat to find it in the list below.
seat-sections = Sections
seat-section-free = Section { $section }: { $free } free
seat-list = Choose from a list
seat-list-note = The same seats, row by row.
seat-row = Row { $row }
seat-name = Row { $row } seat { $number }
seat-name-several = Row { $row } seats { $numbers }
seat-name-full = Section { $section }, row { $row }, seat { $number }
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
seat-hold = Hold these seats
seat-limit-reached = That is the most you can choose: { $count }.
seat-gone = { $name } was just taken by someone else.
seat-live-off = Not live at the moment. Reload to see the newest state.
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
seat-zone-hold = Hold places
seat-zone-note = Standing places without numbers. Come early to stand in front.
seat-waiting-title = Many people want this area at once
seat-waiting-ahead = Ahead of you
seat-waiting-estimate = Estimated wait
seat-waiting-about = about { $duration }
seat-waiting-place-kept = You keep your place while we try again by ourselves.
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
reservation-renew-note = Once, and only while nobody waits in line.
reservation-renewed = Two more minutes were added.
reservation-cancel-hold = Give the seats back
reservation-cancel-paid = Cancel and refund
reservation-refund-policy = Until { $when }: { $percent }% back to your wallet. After that, no refund.
reservation-refund-now = You get back { $amount }.
reservation-refund-over = The time for a refund has passed.
reservation-refund-question = Cancel all tickets of this reservation?
reservation-ended-title = The hold has ended
reservation-ended-note = Your seats went back on sale. Nothing was charged.
reservation-ended-again = Choose seats again
reservation-cancelled-note = The seats were given back. Nothing was charged.
reservation-confirmed-title = The seats are yours
reservation-confirmed-note = Paid { $when }.
reservation-see-tickets = See your tickets
reservation-refunded-note = { $amount } went back to your wallet { $when }.
reservation-number = Reservation { $number }
reservation-standing = { $zone }, standing
reservation-refusal-seats = Please choose seats of this performance, each of them once.
reservation-refusal-zone = Please choose an area of this performance.
reservation-refusal-quantity = Please choose how many places.
reservation-refusal-cursor = Please open the map anew.

## Payment

payment-title = Payment
payment-balance = Usable points
payment-remaining = Left after paying
payment-pay = Pay { $amount }
payment-once-note = You are charged once, even if you press twice.
payment-short-title = { $amount } short
payment-short-note = Charge your wallet here and pay right after. Your seats stay held meanwhile.
payment-charge-needed = Charge { $amount }
payment-done = Paid. Your tickets are here.
flash-logged-out = You are logged out.
flash-paid = Paid. Your tickets are here.
flash-released = The seats were given back. Nothing was charged.
flash-refunded = The tickets are cancelled and the points are back in your wallet.

## Wallet

wallet-title = Wallet
wallet-balance = Balance
wallet-pending = Withheld for requests
wallet-usable = You can use
wallet-charge-title = Charge points
wallet-charge-other = Another amount
wallet-charge-amount = Amount
wallet-charge-help = 1 to { $max } points.
wallet-charge-button = Charge
wallet-refusal-amount = Please enter 1 to { $max } points.
wallet-refusal-send-amount = Please send at least one point.
wallet-refusal-kind = There is no such kind.
wallet-refusal-month = A month is written as 2026-11.
wallet-refusal-after = This page of the history does not exist.
wallet-charge-provider = Paid through
wallet-provider-demo = Demo provider
wallet-provider-demo-note = No real money moves. Charges are confirmed at once.
wallet-charged = { $amount } charged.
flash-charged = Your points are there.
flash-sent = Your request is on its way. The points are withheld until your friend answers.
flash-renewed = Two more minutes were added.
wallet-send-title = Send points to a friend
wallet-send-to = Friend’s e-mail
wallet-send-amount = Points
wallet-send-note = The points are withheld until your friend accepts. After { $days } days they come back by themselves.
wallet-send-button = Send
wallet-sent = { $amount } waiting for { $name } to accept.
wallet-requests-title = Waiting requests
wallet-request-incoming = { $name } wants to send you { $amount }
wallet-request-outgoing = { $amount } to { $name }
wallet-request-expires = Open until { $when }
wallet-request-view = Answer
wallet-request-question = Accept { $amount } from { $name }?
wallet-request-accept = Accept
wallet-request-reject = No, thank you
wallet-request-cancel = Take back
wallet-request-accepted = Accepted
wallet-request-rejected = Declined
wallet-request-cancelled = Taken back
wallet-request-expired = Ran out
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
wallet-history-pending = Withheld
wallet-history-balance = Balance
wallet-history-reference = Reference
wallet-filter-kind = Kind
wallet-filter-month = Month
wallet-filter-all-kinds = Everything
wallet-filter-all-months = All months
wallet-filter-button = Show
wallet-download = Download as CSV
wallet-kind-charge = Charge
wallet-kind-payment = Payment
wallet-kind-refund = Refund
wallet-kind-transfer-hold = Withheld for a request
wallet-kind-transfer-release = Request ended, points free again
wallet-kind-transfer-out = Sent
wallet-kind-transfer-in = Received
wallet-kind-adjustment = Correction

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
ticket-status-void = Void
ticket-used-note = Checked in { $when }.
ticket-void-note = This ticket was refunded and no longer opens the door.

## The desk and the door

admin-nav-label = Desk
admin-nav-today = Now
admin-nav-audit = Log
admin-search = Search
admin-home-title = What is going on
admin-home-none = Nothing is on sale and nothing is coming.
admin-home-log = Done last
admin-state-on-sale = On sale
admin-state-coming = Coming
admin-state-paused = Line paused
admin-state-winding-down = Being cancelled
admin-line-waiting = Waiting
admin-line-inside = Inside
admin-audit-title = Log
admin-audit-lede = Everything that was done at this desk and at the door, as it was before and after. Nothing here can be changed or removed.
admin-audit-who = Who
admin-audit-subject = On what (number)
admin-audit-empty = Nothing was done yet.
admin-act-checked-in = let in
admin-act-check-in-undone = took a check-in back

## Errors: for each code what happened, what it means for you, and one way on

error-request-id = If you write to us, name { $id }.

error-not-admitted-title = It is not your turn yet
error-not-admitted-detail = The seats open to you when your number comes up. Your place in line is safe.
error-not-admitted-action = Back to your place in line
error-not-found-title = There is nothing here
error-not-found-detail = The address may be mistyped, or the page was taken down.
error-not-found-action = See all programs
error-login-required-title = Please log in
error-login-required-detail = This page belongs to an account. Log in and you go on where you were.
error-login-required-action = Log in
error-wrong-credentials-title = That did not match
error-wrong-credentials-detail = E-mail and password do not belong together. Please check both.
error-wrong-credentials-action = Try again
error-email-taken-title = There is an account already
error-email-taken-detail = This e-mail address is in use. If it is yours, log in.
error-email-taken-action = Log in
error-invalid-title = Something needs a second look
error-invalid-detail = One or more entries do not fit. Nothing was changed.
error-invalid-action = Go back and mend it
error-bad-request-title = We could not read that
error-bad-request-detail = The request was incomplete or garbled. Nothing was changed.
error-bad-request-action = See all programs
error-cross-site-title = That came from another site
error-cross-site-detail = For your safety we only act on forms of our own pages. Nothing was changed.
error-cross-site-action = See all programs
error-forbidden-title = This door is for staff
error-forbidden-detail = Your account may not open this page.
error-forbidden-action = See all programs
error-rate-limited-title = A little slower, please
error-rate-limited-detail = Too many tries in a short time. Wait a moment, then try again. Your place, seats and points are safe.
error-rate-limited-action = Try again
error-token-already-issued-title = You are already in line
error-token-already-issued-detail = One place for each person. Yours is kept, with the number you have.
error-token-already-issued-action = Back to your place in line
error-sale-not-open-title = The sale has not opened yet
error-sale-not-open-detail = It opens { $when }. Everyone starts from the same door.
error-sale-not-open-action = Back to the program
error-sale-closed-title = The sale has ended
error-sale-closed-detail = No new seats can be taken. Seats that you hold can still be paid.
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
error-already-processing-title = We are already on it
error-already-processing-detail = Your first request is still being worked on. Nothing is done twice.
error-already-processing-action = See how it went
error-account-limit-title = You have reached the limit
error-account-limit-detail = Each person can take up to { $count } seats of this program.
error-account-limit-action = See your reservations
error-too-many-title = Too many at once
error-too-many-detail = Please choose up to { $count } seats.
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
error-ticket-used-detail = It opened the door before, so this reservation cannot be given back. Nothing was changed.
error-ticket-used-action = See your tickets
error-insufficient-points-title = Not enough points
error-insufficient-points-detail = You can use { $balance } points; this needs { $needed }.
error-insufficient-points-action = Charge points
error-key-reused-title = That form was used before
error-key-reused-detail = It was sent once with other contents. Open the page anew and try again; nothing was done twice.
error-key-reused-action = Open the page anew
error-contended-title = Your wallet is busy
error-contended-detail = Many changes came at once. Nothing was charged; please try again.
error-contended-action = Try again
error-wallet-full-title = Your wallet is full
error-wallet-full-detail = It cannot hold that many points. Nothing was charged.
error-wallet-full-action = Back to your wallet
error-provider-away-title = The payment provider does not answer
error-provider-away-detail = Nothing was charged. Please try again in a moment.
error-provider-away-action = Back to your wallet
error-self-transfer-title = That is you
error-self-transfer-detail = Points can be sent to someone else only.
error-self-transfer-action = Back to your wallet
error-unknown-recipient-title = Nobody with that address
error-unknown-recipient-detail = We know no account with this e-mail. Please check the spelling.
error-unknown-recipient-action = Back to your wallet
error-transfer-limit-title = Too many open requests
error-transfer-limit-detail = You have { $limit } requests that nobody has answered yet. Take one back first.
error-transfer-limit-action = Back to your wallet
error-already-settled-title = This was answered before
error-already-settled-detail = The request is closed. Your wallet shows how it ended.
error-already-settled-action = Back to your wallet
error-expired-title = The request has run out
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
