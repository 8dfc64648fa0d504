/** The topics of `svc help <topic>`: paragraphs, wrapped where they are shown, and indented blocks that keep their lines. */
import { membersOf, variableLines } from '../../config/table.ts'
import { wrap } from '../../output/text/width.ts'
import { acceptable, outcomeFacts, outcomes } from '../../bulk/operations/outcome.ts'
import { commandOf, operationOf } from '../../bulk/operations/operations.ts'
import { bulkOperations } from '../../api/operations.ts'
import { joinOr } from '../../words.ts'
import { blocksOf } from './blocks.ts'

const bulkCommands = bulkOperations.map((name) =>
  operationOf(name).pairs === undefined ? commandOf(name) : `${commandOf(name)} --file`,
)

/** A line or more for each outcome, what is done first. */
const outcomeLines = outcomes
  .toSorted((a, b) => Number(outcomeFacts(b).isDone) - Number(outcomeFacts(a).isDone))
  .flatMap((outcome) =>
    wrap(outcomeFacts(outcome).meaning, 54).map(
      (line, at) => `  ${(at === 0 ? outcome : '').padEnd(15)}${line}`,
    ),
  )
  .join('\n')

export function topicText({ title, text }: (typeof topics)[number], width: number): string {
  const blocks = blocksOf(text).map(({ kind, lines }) =>
    (kind === 'literal'
      ? lines
      : lines
          .join(' ')
          .split('\n')
          .flatMap((line) => wrap(line, width))
    ).join('\n'),
  )
  return `${title}.\n\n${blocks.join('\n\n')}\n`
}

/** Each begins with its title. */
const texts = {
  spreadsheets: `From a messy workbook to a proof, step by step

1. Match. A table of people with phone numbers or email addresses needs no ids: a workbook, csv as Excel saves it, or
Google's export of contacts. svc reads your lists once and gives the table back with the columns contactId, MATCH, BY, NAME,
LISTS and CANDIDATES:

  svc contacts match --file people.csv --country US --annotate matched.xlsx

Columns are found by their headings, also below title rows and in German, French, Spanish and Portuguese; a sheet, because no other
has content or such headings. Else name them: --phone-column, --email-column, --name-column, --sheet. Numbers without + or 00
need --country. Exit code 3 means that some rows need a person.

2. Decide. Open the file, filter by MATCH, and do what it asks of you:

  one         one contact fits, and so does its name: nothing to do
  differs     one contact fits, under another name. A number that changed hands,
              or Bob and Robert? Only you can tell
  variant     the number is only written like one that is known: name the
              --country, or check it yourself
  several     more than one contact has this number or address: choose one, or
              merge them first (step 5)
  conflict    the number is one contact's, the address another's: correct the
              wrong one
  none        nobody on any list has these values: look for others, or leave it
  unreadable  a cell was not understood, so nobody can say "none": correct it
  empty       there is nothing to look for: fill it in, or leave it

To choose a contact, copy its id from CANDIDATES to contactId and put one under MATCH. --accept differs,variant does that for all
such rows, once you have checked them. After corrections, match again with the same options: rows that are one stay as they are.

  svc contacts match --file matched.xlsx --country US --annotate matched-2.xlsx

3. Look, then act. Commands take the rows that are one and count the others in a note. --who shows names and lists, and
--no-truncate everybody; --plan writes the change down for a colleague to approve (svc plans --help).

  svc lists add-contacts VIP --file matched.xlsx --dry-run --who
  svc lists add-contacts VIP --file matched.xlsx --annotate done.xlsx

4. Keep the proof. done.xlsx is your own workbook, every sheet, style and formula as it was, with OUTCOME and REASON behind the table; those
of an earlier run are replaced. svc help outcomes says what else tells what became of each row.

5. Clean up. Two contacts for one person? The rows of pairs.xlsx have names, lists, addresses, numbers and creation dates of
both. Put merge under DECISION where they are the same person; the example's file is called decided.csv.

  svc contacts duplicates --out pairs.xlsx
  svc contacts merge --file decided.csv --where DECISION=merge --dry-run

A cell decides only as you see it: what a formula computes, a filter hides or a format changes is refused, and named by its
place. Tables that have ids already: svc help id-files.`,
  environment: `Environment variables that svc reads

Credentials without a file. All three together, or none:

  SVC_BASE_URL          where the service is
  SVC_API_KEY           the API key
  SVC_API_SECRET        the API secret, or
  SVC_API_SECRET_FILE   a file that contains it

They override SVC_PROFILE and the current profile; -p overrides them. For these there is also an option, which wins:

${variableLines()}

Names of lists and employees are kept for a day, for tab completion:

  SVC_NO_CACHE=1        keep none and offer none

What the system sets:

  XDG_CONFIG_HOME       svc/config.json in it (default: ~/.config)
  XDG_STATE_HOME        svc/runs in it (default: ~/.local/state)
  XDG_CACHE_HOME        svc in it (default: ~/.cache)
  HTTPS_PROXY, ALL_PROXY, NO_PROXY
                        a proxy for https, never for this machine
  NODE_EXTRA_CA_CERTS   a file of certificate authorities to trust as well
  TERM, COLORTERM       how many colors the terminal has
  TZ                    the time zone of times in tables

What svc sandbox shell and svc sandbox exec set:

  SVC_SANDBOX           the sandbox's address: any other service is refused with
                        exit code 4, whatever options, files and variables say
  SVC_SANDBOX_DIR       the sandbox's folder: configuration and state are there;
                        --config and --state-dir outside it are refused

NODE_TLS_REJECT_UNAUTHORIZED=0 is refused: certificates are always checked.`,
  output: `Formats, fields and where output goes

Data goes to standard output and nothing else does. Notes, progress, warnings and errors go to standard error; -q leaves
only errors. The format does not depend on whether standard output is a terminal. On a terminal a long run shows a
progress bar (where TERM is dumb, a line every ten seconds), and a read that takes longer than a second shows a counter.

  table       for reading; without color or truncation off a terminal
  json        one complete JSON document; open when a read failed
  ndjson      one object per line, written as it arrives
  csv, tsv    a header of field names, then one row per line
  xlsx        a workbook: svc lists list --out lists.xlsx
  ids         one id per line, for the next command
  transcript  a ticket's history as a conversation
  html        the same as a web page to share

--out <file> writes the output of a read to a file, whole or not at all. Its extension sets the format (.txt: the table
or conversation), all rows are in it, and an existing file is replaced only with --replace-out.

--json is short for -o json. If a command lacks a format, naming it with -o is an error; one from SVC_OUTPUT or a file is
ignored.

--fields chooses fields and their order: names of JSON members, with dots for members of objects and arrays, and "name"
where svc joins first and last name.

  svc lists list --fields id,name,contactsCount -o csv
  svc lists members VIP --fields contact.id,contact.identities.email --json

A table shows 50 rows unless --limit says otherwise; every other format shows all. A limit in a configuration file applies
to tables and transcripts only. When rows were left out, a note says how many.

Times in tables are relative on a terminal, elsewhere local times with their UTC offset, and in UTC with --utc. JSON has
the times as the service sent them.

csv: text that a spreadsheet would run as a formula gets the prefix ', also inside a cell, after a ; that a spreadsheet
may split at; --csv-raw leaves text as it is. Text from the service never controls the terminal: control characters are
shown, not sent.

xlsx: ids and phone numbers are text cells, numbers are numbers, times are dates in UTC, and no cell is a formula. It is
never sent to a terminal. Nothing is written until everything was read. A cell takes 32,767 characters; with a longer text the command ends with 10 and names the cell.

Every JSON reader can read the JSON: half a character in a text (an unpaired surrogate) becomes U+FFFD, and a note counts
such rows.

A read that fails says so in its data: the last line is "# incomplete: " and the reason, in ndjson an object of type
error; a JSON document stays open; of xlsx, html and --out nothing is left. Every command that reads ids or a table
refuses such an input, wherever that line is (exit 2).

With --json, errors and notes are JSON lines on standard error too, each with a "type" (error, note, progress, summary;
with -v request), a "time" and a "level"; during a run also run, name, profile, host, by and job. --error-format changes that alone.

With -v there is a line of type request for each attempt: method, path, status, ms, attempt, batch, and the service's
requestId if its answer has one. Each line is one write, so several processes can share a log:

  svc contacts delete --file ids.txt --yes -v --error-format json 2>> svc.log`,
  'exit-codes': `Exit codes and what a script does about them

                                                  the same        is a person
  code  meaning                                   command again?  needed?

  0     done: every id in an accepted state; a    no              no
        dry run
  1     a defect in svc, or a damaged             no              yes: report it
        installation                                              or reinstall
  2     usage, a bad option, a bad configuration  no              yes: fix input
        file, bad ids, an unsafe folder; nothing                  or options
        was sent
  3     finished, but some ids are not done       no              yes: see the
                                                                  receipts
  4     not authenticated: no profile, wrong key  no              yes: fix key
        or secret, the clock                                      or clock
  5     forbidden: the key's scope, the plan,     no              yes: new key,
        the age of a ticket; a policy of the                      new plan or
        profile or the machine                                    an approval
  6     refused: any other 4xx; a name that fits  no              yes: fix the
        none or several                                           request
  7     not available after retries, or the       yes             if it stays
        outcome of a request is unknown
  8     stopped by --deadline or --max-failures,  yes             if it stays
        or the output was closed
  9     a confirmation was needed or declined     no              yes: answer;
                                                                  or add --yes
  10    a local file failed while working         yes             if it stays:
        (journal, receipts, a full disk)                          free space
  11    another process is working on this run,   yes, later      no; or add
        name or folder                                            --take-over
  130, 143, 129
        ended by SIGINT, SIGTERM, SIGHUP          yes             no

The same command again is for reads and for bulk commands with --once. A bulk run without a name is resumed instead: svc
runs resume. After a single change with exit code 7 (create, merge, svc api), check first.

Each JSON error and summary has "retry", which answers for the case at hand: it is false where no repetition helps, as with a
certificate, an unknown host name or a proxy's 407, and where a change is sent once and its outcome is unknown.

When several apply: a signal, then 7, 10, 11, 4, 5, 6, 8, 3.`,
  'id-files': `What a file of ids may look like

Ids are 24 hexadecimal digits in either letter case. They are compared in lower case and sent as first written; an id
that appears twice is sent once. svc recognizes the format of a file; --input-format names it:

  lines     one id per line; blank lines and # comments are skipped
  csv       columns separated by commas, semicolons, tabs or pipes, or as
            Excel's "sep=" line says
  xlsx      the only sheet with content, else the only one with such a column,
            else --sheet <name>, which applies to every workbook
  json      an array of ids or of objects
  ndjson    an id or an object per line

The ids are in the only column, or below the heading "id", "contactId", "contact_id" or "contact id" (ticket, employee,
source and target alike), in any letter case, or below "contact.id" or CONTACT, as svc writes them; a key of JSON is found
the same way. Next to "contact.id", "id" is that of a membership, which no command takes. Any other column must be named by
its heading (in any letter case) or its number with --column. Title rows above the heading are skipped with a note.
Without a heading every row is data, so a first row that is neither an id nor such a heading is a bad line: with
--column <n> too, where a column that has another heading must be named, not numbered.

In a workbook only text is an id, and a cell counts only as it is shown. A number (Excel keeps 15 digits of an id), a
formula, a date, a merged cell but the first, a cell of a pivot table, and one in a hidden row or column are bad lines,
named by their cells (A2).

A workbook with a password is not read. A heading may have blanks around it and a colon behind it.

Text is UTF-8 or UTF-16, with any line endings, quotes and ObjectId("..."). A csv file that Excel saved as Windows-1252 is read too, with a note that shows a cell of it.

--where <column>=<value> takes only the rows of a table with that value in that column, ignoring letter case and spaces
around it. In a table written by svc contacts match (contactId, MATCH and BY), only the rows with exactly one contact are
taken, with --column too. A note and input.leftOut of the summary count the others.

A file of pairs has the headings source and target, or ticket and employee; or these two columns alone, in this order and
without a heading.

Ids that a spreadsheet damaged (5.07E+23, lost zeros) are named and refused.

The whole input is read before the first write. Any bad line stops the command, which names up to 20 lines; --skip-invalid
leaves bad lines out, and --rejects writes them to a file. Several files may be given, and - is standard input.

  svc lists add-contacts VIP --file ids.txt
  svc contacts delete --file export.csv --column contact_id --dry-run
  svc contacts delete --file customers.xlsx --sheet "To delete" --dry-run
  svc lists members VIP -o ids | svc ids subtract - keep.txt

The ids commands read the same way: svc ids --help.`,
  bulk: `Bulk runs: order of events, limits, receipts, resuming

A run is one command that works through many ids: ${joinOr(bulkCommands)}. Each run is recorded under an id, with what became of each contact or ticket, so that it can be shown,
exported, and resumed where it stopped:

  svc runs list
  svc runs resume 20260301T101500Z-7f3a

What happens, in order:

  read and check the whole input, remove duplicates    mistakes: exit 2
  --dry-run ends here, with what would be sent
  ask for confirmation where data is lost              --yes, exit 9
  open the journal                                     exit 10
  send batches, several at a time
  print one summary, however the run ends

Guard against a wrong file with --expect <n> and --max-delete <n>. Every id gets one outcome: svc help outcomes.

Batches with an answer are never sent again. A new run with the ids of an unfinished one asks on a terminal whether to
resume that one instead; elsewhere a note has the command. Merges with an unknown outcome are only listed; check them, then: svc runs
retry <run> --outcome unknown

--once <name> does a job once, however often the command is started: the same command resumes the run of that name, and
when nothing is left it sends nothing, prints the summary and writes the receipts again. It must be the same job:
operation, service, key, list, employee, --isolate, --if-assignee, --shard and the same set of ids in any order; otherwise
it is refused (exit 2). The name belongs to the state folder; a recurring job needs one per occasion.

  svc lists add-contacts VIP --file ids.txt --once vip-2026-03-01

One process at a time works on a run, across all hosts. When its host is gone, --take-over waits a minute for a sign of
life, then takes the lock.

svc sends fewer requests at once when the service answers 429 or 503, and more again later. --rate 10/s never sends more
than ten per second, retries included. With -o ndjson the outcome of each id is printed as soon as it is known, and the
summary is a line on standard error.

Several machines can share one file: each reads all of it and sends only its own blocks of 100 ids, and together they send
each id once. --rate is divided among the parts. Name a receipts file for each part.

  svc lists add-contacts VIP --file ids.txt --yes --shard 1/4`,
  outcomes: `What became of each id: receipts, annotated files, show, export, evidence

Every id of a run gets one outcome:

${outcomeLines}

--accept <outcomes> makes ${joinOr(acceptable)} count as done for the exit code.

They are recorded with the run, and shown in five ways:

  the number of ids per outcome    the summary at the end; later
                                   svc runs show <run>
  a row for each id, as a file     --receipts out.csv (.xlsx, .ndjson)
  your own table, with OUTCOME     --annotate done.csv (.xlsx)
  and REASON in each row
  a row for each id, later, or     svc runs export <run> -o csv
  of many runs                     svc runs export --since yesterday -o csv
  a folder for somebody who must   svc runs evidence <run> --out-dir folder
  be able to check it without svc

Which runs worked in a time, who started them and why: svc runs list --since 2026-11-17 --until 2026-11-18. What they
deleted:

  svc runs export --since 2026-11-17 --until 2026-11-18 --outcome deleted -o csv

To send some of them again: svc runs retry <run> --outcome error,unknown. To return tickets: svc runs undo <run>.

--annotate done.xlsx (or .csv) writes the input again, every row with all its columns, followed by OUTCOME and REASON
(those of an earlier run, next to each other, are replaced): rows that were skipped (invalid) and duplicates too, and
rows of other parts with --shard (other-shard). A workbook written as a workbook keeps every sheet, style, filter and formula as it was, with the two columns after the last
heading, or after the last column in use. A csv file keeps its delimiter and titles, is written as UTF-8, and gets a
heading if it has none. The ids must come from one file, and it must not change before the run is done: it is read again at the
end. resume and retry take --annotate too, and replace only a file that this run wrote.

  svc contacts delete --file export.csv --annotate done.xlsx --yes`,
  configuration: `Profiles, the configuration file, and which setting wins

svc profiles add <name> writes the file, svc profiles path prints where it is, and svc profiles show says where each value
comes from. By hand, as JSON or YAML:

  current: staging
  profiles:
    prod:
      baseUrl: https://api.example.com
      apiKey: pk_1234
      secretCommand: [pass, show, svc/prod]
      protected: true
    staging:
      baseUrl: https://staging.example.com
      apiKey: pk_5678
      secretFile: ~/secrets/staging
  defaults:
    output: table
    concurrency: 2

One of apiSecret, secretEnv (the name of a variable), secretFile and secretCommand (words, run without a shell) gives the
secret. It must have at least 8 characters: a shorter one could not be hidden. A file with apiSecret in it must not be
readable by others: chmod 600. With protected, every write asks first.

You must own the file, its folder and the state folder: what others (root too) own or can write is refused, and so is a
folder below one that others can write, unless that one has the sticky bit. A file named by --config or SVC_CONFIG may
also belong to root, and be anywhere. A secretFile may be a link and readable by its group.

Base URL, key and secret belong together. All three come from the first of:

  -p, --profile
  SVC_BASE_URL with SVC_API_KEY and SVC_API_SECRET
  SVC_PROFILE
  "profile" in .svcrc.json or .svcrc.yaml of the current folder
  "current" in the configuration file

Every other setting comes from the first of: option, environment, the current folder's file, profile, defaults, built-in
value. The current folder's file can hold an unprotected "profile", and "defaults" with ${membersOf('every').join(', ')}; in your own file also ${membersOf('own').join(', ')};
nothing in the current folder's file can redirect requests or run a command.

A secret is used only for the address it is stored with: --base-url with another host is refused. No configuration file is
ever executed.`,
  signing: `How requests are signed, if you write your own client

Every request carries three headers:

  X-Service-Key        the API key
  X-Service-Timestamp  Unix time in milliseconds
  X-Service-Signature  HMAC-SHA256 in hexadecimal, keyed with the API secret,
                       over: timestamp, a dot, the raw body

The signed text has no method, no path and no trailing newline. Without a body it is the timestamp and the dot. Sign
the exact bytes that are sent; do not serialize the JSON again. A request is valid for 5 minutes around its
timestamp.

The usual mistakes: seconds for milliseconds, the method or the path signed too, no dot, a trailing newline, CRLF, a body
that was serialized again, a secret with a newline, the key in place of the secret, SHA-512, base64. svc api -vv shows a
request as it is sent. In the shell:

  ts=$(date +%s%3N)
  printf '%s.%s' "$ts" "$body" | openssl dgst -sha256 -hmac "$SVC_API_SECRET"`,
  scripting: `svc in scripts, pipelines and scheduled jobs

Credentials: SVC_BASE_URL, SVC_API_KEY and SVC_API_SECRET (or SVC_API_SECRET_FILE), so that no file is needed. --no-input
never asks, --yes answers. Always choose a format, and check the exit code:

  set -euo pipefail
  svc lists members VIP -o ids > ids.txt
  svc lists add-contacts "Campaign 292" --file ids.txt --json > summary.json

Give a scheduled job a name, and repeat the same command until it is done:

  day=$(date +%F)
  svc lists add-contacts VIP --file ids.txt --yes --once "vip-$day"

Take the date once, at the top: after midnight it is another name, and another job. svc help bulk says what a name is.

Which exit codes to repeat, and which need a person: svc help exit-codes. Nothing is sent twice: svc help bulk. An input
without any id is exit 2; add --allow-empty where it may be empty.

Progress for machines: --progress json, one object per line on standard error; for logs: --progress plain, a line every 30
seconds.

A read that failed says so in its data (svc help output), and svc refuses such an input. For other programs, pass ids in files:

  svc lists members VIP -o ids > a.txt && svc ids subtract a.txt keep.txt

Reads are sent again when an answer is lost, and so are adds and deletes; merges, creates and svc api writes are not: exit
7 means check first. A 503 is a lost answer too, with or without Retry-After. When the answer to a create is lost, svc
looks for a new list of that name. In an outage all requests together make about 20 retries; a single one makes --retries.

Try a script on the sandbox, with faults too (svc help faults):

  svc sandbox exec -- sh ./nightly.sh
  svc sandbox exec --faults '*:5%=503' -- sh ./nightly.sh`,
  faults: `How the sandbox fails on purpose: --faults

Comma-separated rules <operation>:<when>=<fault>, and settings, as in --faults 'contacts.delete:2=drop-after-apply, *:5%=503':

  operation  * or a noun (lists.*) or one of lists.list, lists.create,
             lists.get, lists.update, lists.add-contacts, contacts.merge,
             contacts.delete, tickets.history, tickets.assign, employees.list
  when       n, n-m, n+ or p% of the matching requests, counted from 1;
             default: all (p% is random, the same for the same seed)
  settings   clock=-6m (the service's clock is off), latency=50ms, seed=7
  fault
    503                   any status from 100 to 599; in parentheses:
                          retry-after=2 (or any text, or date+5s),
                          body=json|html|empty, code=n, message=text, apply
    drop-before           close the connection, nothing applied
    drop-after-apply      apply it, close the connection without an answer
    delay(500ms, before)  apply it at once and answer later; with before,
                          wait first, and apply it even if the client left
    duplicate(5ms)        send the answer again 5 ms later, on the same
                          connection
    hang-before           never answer, nothing applied
    hang-after-apply      apply it and never answer
    late(300ms)           never answer, and apply it 300 ms after the
                          client disconnects

In the parentheses of every fault:

  apply         apply the operation anyway: 500(apply),
                503(retry-after=2, apply)
  late=300ms    apply it 300 ms after the answer or the end of the
                connection: 503(late=300ms), drop-before(late=300ms)`,
}

/** Words that people try, and the topic that answers them. */
const otherWords: Readonly<Record<string, keyof typeof texts>> = {
  excel: 'spreadsheets',
  xlsx: 'spreadsheets',
  csv: 'spreadsheets',
  workbook: 'spreadsheets',
  match: 'spreadsheets',
  gdpr: 'outcomes',
  receipts: 'outcomes',
  retry: 'exit-codes',
  cron: 'scripting',
}

/** The topic of this name, or the one that this word leads to. */
export function topicOf(word: string) {
  const name = Object.hasOwn(otherWords, word) ? otherWords[word] : word
  return topics.find((topic) => topic.name === name)
}

export const topics = Object.entries(texts).map(([name, whole]) => {
  const [title = '', ...paragraphs] = whole.split('\n\n')
  return { name, title, text: paragraphs.join('\n\n') }
})

/** Topics of `svc help <word>`, each with its title. */
export function topicsPage(): string {
  const lines = topics.map(({ name, title }) => `  ${name.padEnd(15)}${title}`)
  return `Topics:\n  ${'options'.padEnd(15)}The global options\n${lines.join('\n')}\n\nTo read one: svc help <topic>\n`
}
