//! What the office says to a line, until the last of a hundred thousand open pages has it.

use std::{
    env,
    io::{self, Write},
    net::SocketAddr,
    process::Stdio,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt, BufReader, Lines},
    process::{Child, ChildStdout, Command},
};

use crate::{
    Bench, Failure, PEOPLE, cost::Fact, http::Connection, person::session, server::Server,
    stage::psql,
};

/// Open pages.
const PAGES: u64 = 100_000;
/// Instances, and processes whose pages are open at one of them: the files of a process have a bound.
const PROCESSES: u64 = 8;
/// Pages that a process opens at once.
const AT_ONCE: u64 = 250;
/// Announcements whose time is taken.
const TIMES: u64 = 5;
/// Argument by which this program is such a process.
pub(crate) const LISTEN: &str = "--listen";
/// No announcement is waited for any longer.
const HEARD_MAX: Duration = Duration::from_mins(1);

/// A process whose pages are open, and what it prints.
struct Listener {
    _process: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Listener {
    fn start(address: SocketAddr, path: &str, first: u64) -> Result<Self, Failure> {
        let mut process = Command::new(env::current_exe()?)
            .args([LISTEN, &address.to_string(), path, &first.to_string()])
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let printed = process.stdout.take().ok_or("no output")?;
        Ok(Self { _process: process, lines: BufReader::new(printed).lines() })
    }

    /// Waits until all of its pages are open, or have what was said.
    async fn has_all(&mut self) -> Result<(), Failure> {
        let line = tokio::time::timeout(HEARD_MAX * 3, self.lines.next_line()).await??;
        line.map(drop).ok_or_else(|| "a listener has ended".into())
    }
}

impl Bench {
    /// Seconds from the commit of an announcement until the last page has it.
    pub(crate) async fn announced(&mut self) -> Result<Fact, Failure> {
        let stage = self.stage(true, 0)?;
        let path = stage.queue_path().replace("/queue", "/announcements");
        let mut servers = Vec::new();
        let mut listeners = Vec::new();
        for nth in 0..PROCESSES {
            let server = Server::start().await?;
            listeners.push(Listener::start(server.address, &path, nth * (PAGES / PROCESSES))?);
            servers.push(server);
        }
        for listener in &mut listeners {
            listener.has_all().await?;
        }
        let mut memory_mib = 0.0;
        for server in &servers {
            memory_mib += server.memory_mib()?;
        }
        let mut secs = Vec::new();
        for nth in 0..TIMES {
            let say = format!(
                "begin;
                 update queue_announcements set ended_at = clock_timestamp()
                 where program_id = '{program}' and ended_at is null;
                 insert into queue_announcements (id, program_id, words, is_of_pause)
                 values (gen_random_uuid(), '{program}', '{{\"en\": \"Said {nth}.\"}}', false);
                 commit",
                program = stage.program_id(),
            );
            psql(&["-c", &say])?;
            let said = Instant::now();
            for listener in &mut listeners {
                listener.has_all().await?;
            }
            secs.push(said.elapsed().as_secs_f64());
            writeln!(io::stderr(), "announcement {nth}: {:.2} s", said.elapsed().as_secs_f64())?;
        }
        drop(listeners);
        stage.strike()?;
        secs.sort_by(f64::total_cmp);
        let value = |at: usize| secs.get(at).copied().unwrap_or_default();
        let middle = secs.len() / 2;
        Ok((
            "an announcement until the last of 100,000 open pages at 8 instances has it",
            format!(
                "{:.1} s ({:.1} - {:.1}); {memory_mib:.0} MiB of all instances",
                value(middle),
                value(0),
                value(secs.len().saturating_sub(1)),
            ),
        ))
    }
}

/// Opens pages as the process that `words` describe, and prints a line once all are open, and once all have what is
/// said, each time.
pub(crate) async fn listen(words: &[String]) -> Result<(), Failure> {
    let mut words = words.iter().skip_while(|word| *word != LISTEN).skip(1);
    let mut word = || words.next().ok_or("an argument is missing");
    let (address, path, first): (SocketAddr, _, u64) =
        (word()?.parse()?, word()?.clone(), word()?.parse()?);
    let count = PAGES / PROCESSES;
    let mut pages = Vec::new();
    for start in (0..count).step_by(usize::try_from(AT_ONCE)?) {
        let some = (start..(start + AT_ONCE).min(count)).map(|nth| {
            let path = path.clone();
            async move {
                let mut page = Connection::open(address).await?;
                page.listen(&path, &session(1 + (first + nth) % PEOPLE)).await?;
                io::Result::Ok(page)
            }
        });
        pages.extend(futures_util::future::try_join_all(some).await?);
    }
    writeln!(io::stdout(), "open")?;
    for nth in 0..TIMES {
        let said = format!("Said {nth}.");
        let heard = pages.iter_mut().map(|page| page.hear(&said));
        futures_util::future::try_join_all(heard).await?;
        writeln!(io::stdout(), "heard")?;
    }
    Ok(())
}
