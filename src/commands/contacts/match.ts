import { exit, usageError } from '../../errors.ts'
import { rows } from '../../output/result.ts'
import type { Verb } from '../../cli/verb.ts'
import { collect, examples } from '../../cli/options.ts'
import { contactMatchView, type ContactMatch } from '../../resources/contact-match.ts'
import { acceptable } from '../../directory/match.ts'
import { kinds } from '../../directory/identity.ts'
import { parseChoices } from '../../values.ts'
import { directoryOptions, directorySource, phonesOf } from '../directory.ts'

function* onlyOnes(matches: Iterable<ContactMatch>): Generator<ContactMatch, undefined> {
  for (const found of matches) if (found.contactId !== null) yield found
}

export const match: Verb = (contacts, run) =>
  directoryOptions(
    contacts.command('match').option('--file <table>', 'csv or a workbook with a heading, or - for standard input'),
  )
    .summary('find the contact of each row of a table of people')
    .description(
      'Find the contact of each row of a table of people, by phone number, email address or messenger. svc reads the lists once,\n' +
        'whatever the number of rows. A row is "one" if exactly one contact fits every value that is known; "differs" if\n' +
        'that contact has another name; "variant" if only a phone number that is written differently fits; "several",\n' +
        '"conflict", "none" or "empty" otherwise. A name alone never decides. Exit code 0: every row is "one"; else 3.',
    )
    .option('--phone-column <column>', 'the column with phone numbers (default: those whose heading says so)')
    .option('--email-column <column>', 'the column with email addresses (default: those whose heading says so)')
    .option('--name-column <column>', 'the column with names (default: those whose heading says so)')
    .option(
      '--messenger-column <column=key>',
      'a column, and the identity key of what it has; repeatable',
      collect,
      [] as string[],
    )
    .option('--by <kinds>', 'which may decide: phone, email, messenger (default: those found)', (text) =>
      parseChoices(text, '--by', kinds),
    )
    .option('--accept <verdicts>', 'take these for "one": differs, variant', (text) =>
      parseChoices(text, '--accept', acceptable),
    )
    .option('--sheet <name>', 'the sheet of a workbook (default: the only one with content)')
    .option('--annotate <file>', 'write the table again with the contact of each row to this .csv or .xlsx file')
    .addHelpText(
      'after',
      examples(
        'svc contacts match --file people.csv',
        'svc contacts match --file people.csv --accept variant \\\n    --annotate matched.xlsx',
        'svc contacts match --file people.csv -o ids',
      ),
    )
    .action(
      run(contactMatchView, async (context, options) => {
        const { file, annotate } = options
        if (file === undefined) throw usageError('no table was given', 'name it with --file <table>')
        const [readPhone, { Matching, countedVerdicts }, { MatchFile }] = await Promise.all([
          phonesOf(context),
          import('../../directory/matching.ts'),
          import('./match-file.ts'),
        ])
        const { host, signal } = context
        const input =
          file === '-'
            ? ({ kind: 'stdin', stream: host.stdin, isTerminal: host.isTerminal.stdin } as const)
            : ({ kind: 'file', path: file } as const)
        const annotated =
          annotate === undefined
            ? undefined
            : await MatchFile.open(annotate, { path: file, sheet: options.sheet }, host)
        try {
          const matching = await Matching.of(input, { ...options, signal }, new Set(options.accept), readPhone)
          for (const note of matching.table.notes) context.note(note)
          const read = await matching.read(await directorySource(context, options))
          const counts = matching.counts()
          await annotated?.write(matching, host.now())
          const isIds = context.print.format === 'ids'
          const shown = isIds ? onlyOnes(matching.matches()) : matching.matches()
          const notes = [
            countedVerdicts(counts),
            ...read.notes(),
            ...(annotate === undefined ? [] : [`wrote "${annotate}"`]),
          ]
          const exitCode = counts.size === 1 && counts.has('one') ? exit.done : exit.incomplete
          return rows(shown, { what: 'rows', ending: { notes, exitCode } })
        } catch (error) {
          await annotated?.discard()
          throw error
        }
      }),
    )
