//! Tables of refusals: one row makes a variant, its answer, and its row of the API reference.

use super::problem::ProblemCode;

/// Error enum that [`problems!`] has made.
pub trait Problems {
    /// Rows with a code of their own, under the names of their variants.
    type Row: Into<ProblemCode>;
}

/// Makes the error enum of a feature from the table of its refusals.
///
/// ```text
/// problems! {
///     /// Reason why no ticket changed hands.
///     pub(crate) enum HandOverError {
///         Ended(status: HandOverStatus) = 409 "hand-over-ended" { hand_over_status: status },
///         /// The ticket does not exist, or belongs to another account.
///         NotFound => KitError::NotFound,
///     }
///     wraps { Key(#[from] KeyError), Payment(PaymentError).recovery("/tickets") }
///     each.or_recovery("/tickets")
///     constraints { "hand_overs_pending_key" => Self::Pending, lock_timeout => Self::Contended }
///     retried(StaleVersion) or Self::Contended
/// }
/// ```
///
/// A row is a variant with the names of its fields, and either `= STATUS "CODE"` or `=>` another error,
/// whose answer it gets. `{ … }` names the members of the problem document, which the API reference lists
/// too; calls of [`Problem`](super::Problem) add the rest. A sentence above a row says what neither
/// the variant nor the code says. People read `error-CODE-title`, `-detail` and `-action` of `locales/`,
/// logs `HandOverError::Ended(Expired)`.
///
/// The parts after the enum are optional, and stand in this order:
///
/// - `wraps`: errors of other features, answered as they are but for the calls.
/// - `via`: errors that become one of those.
/// - `each`: calls for every answer.
/// - `constraints`: the meaning of a constraint of the database that refused a write, and of a lock that
///   was waited for too long (`lock_timeout`). Any other error of PostgreSQL becomes `Database`.
/// - `retried`: variants after which [`Contention`](crate::infra::postgres::Contention) makes another
///   attempt, as it does after conflicts in the database; and the error after the last attempt.
#[macro_export]
macro_rules! problems {
    (@value $member:ident) => { $member };
    (@value $member:ident $value:expr) => { $value };
    (@$from:ident $name:ident::$variant:ident, $type:ty) => {
        impl From<$type> for $name {
            fn from(error: $type) -> Self {
                Self::$variant(error)
            }
        }
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident { $(
            $(#[doc = $doc:literal])*
            $variant:ident
            $( ( $arg:ident : $arg_type:ty ) )?
            $( { $($field:ident : $field_type:ty),+ $(,)? } )?
            $(
                = $status:literal $code:literal
                $( { $($member:ident $(: $value:expr)?),+ } )?
                $( . $call:ident ( $($call_arg:expr),* ) )*
            )?
            $( => $answer:expr )?
        ),+ $(,)? }
        $( wraps { $(
            $inner:ident ( $( #[$from:ident] )? $inner_type:ty )
            $( . $inner_call:ident ( $($inner_arg:expr),* ) )*
        ),+ $(,)? } )?
        $( via $way:ident { $($far_type:ty),+ } )?
        $( each $( . $each_call:ident ( $($each_arg:expr),* ) )+ )?
        $( constraints {
            $( $constraint:literal => $violation:expr, )* $( lock_timeout => $timeout:expr )?
        } )?
        $( retried ( $($stale:ident),* ) or $contended:expr )?
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        $vis enum $name {
            $(
                $(#[doc = $doc])*
                $( #[doc = concat!("\n\nAnswered with ", stringify!($status), " `", $code, "`.")] )?
                $( #[doc = concat!("\n\nAnswered like `", stringify!($answer), "`.")] )?
                $variant
                $( ( $arg_type ) )?
                $( { $(
                    #[doc = concat!("`", stringify!($field), "` of the refusal.")]
                    $field: $field_type
                ),+ } )?,
            )+
            $($(
                #[doc = concat!("`", stringify!($inner_type), "`, answered as it is.")]
                $inner($inner_type),
            )+)?
        }

        const _: () = {
            use std::{error::Error, fmt};

            use $crate::web::error::{HttpError, Problem, ProblemCode, Problems};

            #[derive(Clone, Copy, Debug)]
            $vis enum Row {
                $($( #[doc = concat!(stringify!($status), " `", $code, "`.")] $variant, )?)+
            }

            impl Row {
                $vis const fn code(self) -> ProblemCode {
                    match self {
                        $($( Self::$variant => ProblemCode {
                            status: $status,
                            code: $code,
                            members: &[$($(stringify!($member)),+)?],
                        }, )?)+
                    }
                }
            }

            impl From<Row> for ProblemCode {
                fn from(row: Row) -> Self {
                    row.code()
                }
            }

            impl Problems for $name {
                type Row = Row;
            }

            impl HttpError for $name {
                fn problem(&self) -> Problem {
                    let problem = match self {
                        $( Self::$variant $( ( $arg ) )? $( { $($field),+ } )? => {
                            _ = ( $( $arg, )? $( $($field,)+ )? );
                            $(
                                Problem::new(Row::$variant.code())
                                $($( .member(
                                    stringify!($member),
                                    &$crate::web::error::problems!(@value $member $($value)?),
                                ) )+)?
                                $( .$call($($call_arg),*) )*
                            )?
                            $( Problem::from($answer) )?
                        } )+
                        $($( Self::$inner(error) => {
                            error.problem() $( .$inner_call($($inner_arg),*) )*
                        } )+)?
                    };
                    problem $( $( .$each_call($($each_arg),*) )+ )?
                }

                fn is_conflict(&self) -> bool {
                    $($( if let Self::$inner(error) = self { return HttpError::is_conflict(error); } )+)?
                    $($( if matches!(self, Self::$stale { .. }) { return true; } )*)?
                    false
                }
            }

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    $($( if let Self::$inner(error) = self { return fmt::Display::fmt(error, f); } )+)?
                    write!(f, concat!(stringify!($name), "::{:?}"), self)
                }
            }

            impl Error for $name {
                fn source(&self) -> Option<&(dyn Error + 'static)> {
                    $($( if let Self::$inner(error) = self { return Error::source(error); } )+)?
                    None
                }
            }
        };

        $($( $( $crate::web::error::problems!(@$from $name::$inner, $inner_type); )? )+)?

        $($(
            impl From<$far_type> for $name {
                fn from(error: $far_type) -> Self {
                    Self::$way(error.into())
                }
            }
        )+)?

        $(
            impl From<sqlx::Error> for $name {
                fn from(error: sqlx::Error) -> Self {
                    match $crate::infra::postgres::violated_constraint(&error) {
                        $( Some($constraint) => $violation, )*
                        $( _ if $crate::infra::postgres::is_lock_timeout(&error) => $timeout, )?
                        _ => Self::Database(error),
                    }
                }
            }
        )?

        $(
            impl $crate::infra::postgres::Contention for $name {
                fn is_stale(&self) -> bool {
                    $crate::web::error::HttpError::is_conflict(self)
                }

                fn contended() -> Self {
                    $contended
                }
            }
        )?
    };
}

/// Lists rows of tables for an operation that refuses with them, such as
/// `codes![ShareError::{Taken, NotPaid}, KitError::Contended]`.
#[macro_export]
macro_rules! codes {
    ($(
        $error:ident :: $($variant:ident)? $( { $($of_many:ident),+ $(,)? } )?
    ),+ $(,)?) => {
        const {
            use $crate::web::error::Problems;
            &[$(
                $( <<$error as Problems>::Row>::$variant.code(), )?
                $($( <<$error as Problems>::Row>::$of_many.code(), )+)?
            )+]
        }
    };
}

pub use codes;
pub use problems;
