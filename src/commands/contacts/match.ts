import { exit, usageError } from '../../errors.ts'
import { rows, type Rows } from '../../output/result.ts'
import { defineCommand, schemaOf, type Context, type Verb } from '../../cli/verb.ts'
import { collect, rowLimit } from '../../cli/options.ts'
import type { PeopleChoice } from '../../directory/headings.ts'
import { kinds } from '../../directory/identity.ts'
import { acceptable } from '../../directory/match.ts'
import { contactMatchView, type ContactMatch } from '../../resources/contact-match.ts'
import { parseChoices, parseLimit } from '../../values.ts'
import { directorySource, inOption, phonesOf, type DirectoryOptions } from '../directory.ts'
import { inputOf } from '../id-reading.ts'

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
        'that contact has another name; "variant" if only a phone number that is written differently fits; "several",\n' +
        '"conflict", "none" or "empty" otherwise. A name alone never decides. Exit code 0: every row is "one"; else 3.',
    )
    .option('--phone-column <column>', 'the column with phone numbers (default: found by its heading)')
    .option('--email-column <column>', 'the column with email addresses (default: found by its heading)')
    .option('--name-column <column>', 'the column with names (default: found by its heading)')
    .option('--messenger-column <column=key>', 'a column and its identity key; repeatable', collect, [] as string[])
    .option('--by <kinds>', `what counts as a match: ${kinds.join(', ')} (default: those found)`, (text) =>
      parseChoices(text, '--by', kinds),
    )
    .option('--accept <verdicts>', `treat these as "one": ${acceptable.join(', ')}`, (text) =>
      parseChoices(text, '--accept', acceptable),
    )
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
  const [readPhone, { Matching }, { MatchFile }] = await Promise.all([
    phonesOf(context),
    import('../../directory/matching.ts'),
    import('./match-file.ts'),
  ])
  const annotated = annotate === undefined ? undefined : await MatchFile.open(annotate, file, { ...options, signal })
  try {
    const matching = await Matching.of(inputOf(context, file), { ...options, signal }, readPhone)
    for (const note of matching.table.notes) context.note(note)
    const read = await matching.read(await directorySource(context, options))
    const written = annotated === undefined ? [] : [await annotated.write(matching, host.now())]
    const { settings } = await context.configuration()
    const unplaced = settings.country.value === undefined ? matching.unplaced() : []
    const { words, total, isComplete } = matching.counted()
    const notes = [...matching.columns, words, ...unplaced, ...read.notes(), ...written]
    const limit = rowLimit(print, options.limit)
    const cut = limit < total ? { shown: limit, total, missing: 'limit' as const } : {}
    const ending = { ...cut, notes, exitCode: isComplete ? exit.done : exit.incomplete }
    return rows(shownOf(matching.matches(), limit, print.format === 'ids'), { what: 'rows', ending })
  } catch (error) {
    await annotated?.discard()
    throw error
  }
}

function* shownOf(matches: Iterable<ContactMatch>, limit: number, isOne: boolean): Generator<ContactMatch, undefined> {
  let left = limit
  for (const found of matches) {
    if (isOne && found.contactId === null) continue
    if (left === 0) return
    left -= 1
    yield found
  }
}
