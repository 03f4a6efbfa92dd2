//! What the tests of every target use, and the process of the stand-in for Stripe.

pub(crate) use stagedoor_testing::*;

mod stripe {
    mod server {
        #[test]
        fn the_stand_in_for_stripe_serves_in_a_process_of_its_own() {
            stagedoor_testing::stripe::serve_or_ask();
        }
    }
}
