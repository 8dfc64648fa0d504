import { exit, usageError } from '../../errors.ts'
import { rows, type Rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Context, type Verb } from '../../cli/verb.ts'
import { collect, rowLimit } from '../../cli/options.ts'
import type { PeopleChoice } from '../../directory/headings.ts'
import { kinds } from '../../directory/identity.ts'
import { acceptable } from '../../directory/match.ts'
import type { Matching } from '../../directory/matching.ts'
import { contactMatchView, type ContactMatch } from '../../resources/contact-match.ts'
import { parseChoices, parseLimit } from '../../values.ts'
import { directorySource, inOption, phonesOf, type DirectoryOptions } from '../directory.ts'
import { inputOf } from '../id-reading.ts'

const none: string[] = []

export const match: Verb = (contacts, run) =>
  inOption(
    defineCommand(contacts, 'match', 'find the contact of each row of a table of people', [
      'svc contacts match --file people.csv',
      'svc contacts match --file people.csv --accept variant \\\n    --annotate matched.xlsx',
      'svc contacts match --file people.csv -o ids',
    ]).option('--file <table>', 'csv or a workbook with a heading, or - for standard input'),
  )
    .description(
      'Find the contact of each row of a table of people, by phone number, email address or messenger. svc reads the lists once,\n' +
        'whatever the number of rows. A row is "one" if exactly one contact fits every value that is known; "differs" if\n' +
        'the names contradict each other (a person decides whether Bob is Robert); "variant" if only a phone number that is\n' +
        'written differently fits; "unreadable" if a cell cannot be read; "several", "conflict", "none" or "empty" otherwise.\n' +
        'A name alone never decides. A table that was matched before keeps its rows that are "one".\n' +
        'Exit code 0: every row is "one"; else 3.',
    )
    .option('--phone-column <column>', 'a column with phone numbers (default: by headings); repeatable', collect, none)
    .option(
      '--email-column <column>',
      'a column with email addresses (default: by headings); repeatable',
      collect,
      none,
    )
    .option('--name-column <column>', 'the column with names (default: found by its heading)')
    .option('--messenger-column <column=key>', 'a column and its identity key; repeatable', collect, none)
    .option('--by <kinds>', `what counts as a match: ${kinds.join(', ')} (default: those found)`, (text) =>
      parseChoices(text, '--by', kinds),
    )
    .option('--accept <verdicts>', `treat these as "one": ${acceptable.join(', ')}`, (text) =>
      parseChoices(text, '--accept', acceptable),
    )
    .option('--again', 'look for all rows, also those that an earlier match or a person made "one"')
    .option('--sheet <name>', 'the sheet of a workbook (default: the only one with content)')
    .option('--limit <n|all>', 'the maximum number of rows (default: 50 for table, all for other formats)', parseLimit)
    .option('--annotate <file>', 'write the table again with the contact of each row to this .csv or .xlsx file')
    .action(
      run({ ...contactMatchView, schema: schemaOf('Matches') }, (context, { file, ...options }) => {
        if (file !== undefined) return matched(context, file, options)
        throw usageError('no table was given', 'name it with --file <table>')
      }),
    )

interface MatchOptions extends PeopleChoice, DirectoryOptions {
  readonly accept?: (typeof acceptable)[number][] | undefined
  readonly sheet?: string | undefined
  readonly limit?: number | 'all' | undefined
  readonly annotate?: string | undefined
}

async function matched(context: Context, file: string, options: MatchOptions): Promise<Rows<ContactMatch>> {
  const { host, signal, print } = context
  const { annotate } = options
  const [readPhones, directory, { MatchFile }] = await Promise.all([
    phonesOf(context),
    import('../../directory/matching.ts'),
    import('./match-file.ts'),
  ])
  const annotated = annotate === undefined ? undefined : await MatchFile.open(annotate, file, { ...options, signal })
  let matching: Matching | undefined
  try {
    matching = await directory.Matching.of(inputOf(context, file), { ...options, signal }, readPhones)
    for (const note of matching.table.notes) context.note(note)
    const read = await matching.read(await directorySource(context, options))
    const written = annotated === undefined ? [] : [await annotated.write(matching, host.now())]
    const { settings } = await context.configuration()
    const { notes: told, total, isComplete } = matching.outcome(settings.country.value !== undefined)
    const notes = [...told, ...read.notes(), ...written]
    const limit = rowLimit(print, options.limit)
    const cut = limit < total ? { shown: limit, total, missing: 'limit' as const } : {}
    const ending = { ...cut, notes, exitCode: isComplete ? exit.done : exit.incomplete }
    return rows(shownOf(matching, limit, print.format === 'ids'), { what: 'rows', ending })
  } catch (error) {
    matching?.close()
    await annotated?.discard()
    throw error
  }
}

function* shownOf(matching: Matching, limit: number, isOne: boolean): Generator<ContactMatch, undefined> {
  let left = limit
  try {
    for (const found of matching.matches()) {
      if (isOne && found.contactId === null) continue
      if (left === 0) return
      left -= 1
      yield found
    }
  } finally {
    matching.close()
  }
}
