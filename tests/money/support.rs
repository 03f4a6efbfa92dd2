//! What the tests of every target use, and the process of the stand-in for Stripe.

pub(crate) use stagedoor_testing::*;

/// The stand-in for Stripe, which this program is when it is started with the name of the test.
pub(crate) mod stripe {
    pub(crate) use stagedoor_testing::stripe::*;

    mod server {
        #[test]
        fn the_stand_in_for_stripe_serves_in_a_process_of_its_own() {
            stagedoor_testing::stripe::serve_or_ask();
        }
    }
}
