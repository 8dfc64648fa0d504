import { columnOf, columnsFor } from '../../output/columns.ts'
import { type Ending, type View, rows, type Rows } from '../../output/result.ts'
import type { ContactMatch } from '../../views/documents.ts'
import { defineVerb, schemaOf } from '../../cli/verb.ts'
import type { AnnotatedTable } from '../../input/annotated.ts'
import { exit, usageError } from '../../errors.ts'
import type { Context } from '../../cli/context.ts'
import { limitOption } from '../../cli/global-options.ts'
import type { PeopleChoice } from '../../directory/headings.ts'
import { kinds } from '../../directory/identity.ts'
import { acceptable } from '../../directory/match.ts'
import type { Matching } from '../../directory/matching.ts'
import type { FoundRows } from '../../input/search.ts'
import { parseChoices } from '../../values.ts'
import {
  directorySource,
  inOption,
  phonesOf,
  unseenChanges,
  type DirectoryOptions,
} from '../directory.ts'

const contactMatchView: View<ContactMatch> = {
  columns: columnsFor(
    'row:number',
    'match:state',
    'contactId as CONTACT',
    'name',
    'by',
    'lists.name as LISTS',
  ),
  moreColumns: [{ ...columnOf('candidates'), most: 3 }],
  id: ({ contactId }) => contactId ?? '',
}

/** Exit code 3 while a person has something to decide, so that a script does not go on with half of a table. */
export const match = defineVerb({
  description:
    'Find the contact of each row of a table of people, by phone number, email address or messenger. svc reads the lists once,\n' +
    'whatever the number of rows. A row is "one" if exactly one contact fits every value that is known; "differs" if\n' +
    'the names contradict each other (a person decides whether Bob is Robert); "variant" if only a phone number that is\n' +
    'written differently fits; "unreadable" if a cell cannot be read; "several", "conflict", "none" or "empty" otherwise.\n' +
    'WHY says it in words (--annotate, --json, --fields why). A name alone never decides. A table that was matched before keeps\n' +
    'its rows that are "one", and those under whose MATCH you wrote "no": nobody, or not this one.\n' +
    'Exit code 0: every row is "one" or "no"; else 3.',
  notes: unseenChanges,
  examples: [
    'svc contacts match --file people.csv',
    'svc contacts match --file people.csv --accept variant \\\n    --annotate matched.xlsx',
    'svc contacts match --file people.csv -o ids',
  ],
  options: {
    file: {
      value: 'table',
      takes: 'file',
      summary: 'csv or a workbook with a heading, or - for standard input',
    },
    ...inOption,
    phoneColumn: {
      value: 'column',
      takes: 'word',
      summary: 'a column with phone numbers',
      default: 'by headings',
      isRepeatable: true,
    },
    emailColumn: {
      value: 'column',
      takes: 'word',
      summary: 'a column with email addresses',
      default: 'by headings',
      isRepeatable: true,
    },
    nameColumn: {
      value: 'column',
      takes: 'word',
      summary: 'the column with names',
      default: 'found by its heading',
    },
    countryColumn: {
      value: 'column',
      takes: 'word',
      summary: 'the column with the country of the phone numbers of each row, as two letters',
      default: '--country for all rows',
    },
    messengerColumn: {
      value: 'column=key',
      takes: 'word',
      summary: 'a column and its identity key',
      isRepeatable: true,
    },
    by: {
      value: 'kinds',
      suggestions: kinds,
      isSeparated: true,
      summary: `what counts as a match: ${kinds.join(', ')}`,
      default: 'those found',
      parse: (text: string) => parseChoices(text, '--by', kinds),
    },
    accept: {
      value: 'verdicts',
      suggestions: acceptable,
      isSeparated: true,
      summary: `treat these as "one": ${acceptable.join(', ')}`,
      parse: (text: string) => parseChoices(text, '--accept', acceptable),
    },
    again: {
      summary: 'look for all rows but those with "no", also those that are "one" already',
    },
    sheet: {
      value: 'name',
      takes: 'word',
      summary: 'the sheet of a workbook',
      default: 'the only one with content',
    },
    ...limitOption,
    annotate: {
      value: 'file',
      takes: 'file',
      summary: 'write the table again with the contact of each row to this .csv or .xlsx file',
    },
  },
  effect: 'reads',
  shows: { ...contactMatchView, schema: schemaOf('Matches') },
  run: (context, _args, { file, ...options }) => {
    if (file !== undefined) return matchContacts(context, file, options)
    throw usageError('no table was given', 'name it with --file <table>')
  },
})

interface MatchOptions extends PeopleChoice, DirectoryOptions {
  readonly accept?: (typeof acceptable)[number][] | undefined
  readonly sheet?: string | undefined
  readonly limit?: number | 'all' | undefined
  readonly annotate?: string | undefined
}

async function matchContacts(
  context: Context,
  file: string,
  options: MatchOptions,
): Promise<Rows<ContactMatch>> {
  const { host, signal, print } = context
  const { annotate } = options
  const [readPhones, { inputOf }, { readSought }, { matchTable }, { annotateMatches }] =
    await Promise.all([
      phonesOf(context),
      import('../../input/input.ts'),
      import('../../directory/sought.ts'),
      import('../../directory/matching.ts'),
      import('./match-file.ts'),
    ])
  const { settings } = await context.configuration()
  const choice = { ...options, signal, country: settings.country.value }
  const find = async (table?: Pick<AnnotatedTable, 'take' | 'layOut'>) => {
    const onRows = table && ((found: FoundRows) => table.take(found))
    const { sought, columns, notes } = await readSought(
      inputOf(host, file),
      { ...choice, host, onRows },
      readPhones,
    )
    try {
      for (const note of notes) context.note(note)
      await table?.layOut()
      const { matching, read } = await matchTable(sought, await directorySource(context, options), {
        accepted: new Set(options.accept),
        readPhones,
      })
      return { sought, columns, matching, read, note: undefined }
    } catch (error) {
      sought.rows.close()
      throw error
    }
  }
  const { sought, columns, matching, read, note } =
    annotate === undefined
      ? await find()
      : await annotateMatches(host, annotate, { path: file, choice }, find)
  const words = sought.words(columns)
  const notesOf = (counts: readonly string[]): string[] => [
    ...words.columns,
    ...counts,
    ...words.cells,
    ...read.notes(),
    ...(note === undefined ? [] : [note]),
  ]
  return rows(shownOf(matching, print, notesOf), { what: 'rows' })
}

/** The rows that are printed: of ids only those that have one. */
function* shownOf(
  matching: Matching,
  { rowLimit: limit, format }: Context['print'],
  notesOf: (counts: readonly string[]) => readonly string[],
): Generator<ContactMatch, Ending> {
  let wanted = 0
  const isShown = (verdict: ContactMatch['match']): boolean => {
    if (format === 'ids' && verdict !== 'one') return false
    wanted += 1
    return wanted <= limit
  }
  try {
    const { notes, total, isComplete } = yield* matching.matches(isShown)
    const cut = limit < total ? { shown: limit, total, missing: 'limit' as const } : {}
    return {
      ...cut,
      notes: notesOf(notes),
      exitCode: isComplete ? exit.done : exit.incomplete,
    }
  } finally {
    matching.close()
  }
}
