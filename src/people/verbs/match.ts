import { firstRows, noRows } from '../../output/result.ts'
import type { ContactMatch } from '../matching.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exit } from '../../errors.ts'
import { countryOption, limitOption } from '../../cli/global-options.ts'
import { peopleSource, inOption, unseenChanges } from '../../cli/lists.ts'

/** Exit code 3 while a person has something to decide, so that a script does not go on with half of a table. */
export const verb = defineVerb({
  description:
    'Find the contact for each row of a table of people, by phone number or email address. svc reads the lists once, for\n' +
    'any number of rows. A name alone is never enough. WHY says why a row is not "one" (--annotate, --json, --fields why). In\n' +
    'a table that was matched before, rows with "one" stay, and so do rows where you wrote "no" under MATCH (nobody, or not this\n' +
    'contact). The exit code is 0 if every row is "one" or "no", and 3 otherwise.',
  notes: `MATCH:
  one         exactly one contact fits every known value, and its name too
  differs     one contact fits, but it has another name: only you can tell
  variant     one contact has nearly the same phone number
  several     more than one contact fits
  conflict    the values of the row belong to different contacts
  none        no contact on the lists has any of the values
  unreadable  a cell cannot be read, and no other value is known
  empty       there is nothing to look for
  no          you wrote it: nobody, or not this contact

${unseenChanges}`,
  examples: [
    'svc contacts match --file people.csv',
    'svc contacts match --file people.csv --annotate matched.xlsx',
    'svc contacts match --file people.csv -o ids',
  ],
  options: {
    file: {
      value: 'table',
      takes: 'file',
      summary: 'csv or a workbook with a heading, or - for standard input',
      isRequired: true,
    },
    ...inOption,
    phoneColumn: {
      value: 'column',
      summary: 'a column with phone numbers',
      default: 'by headings',
      isRepeatable: true,
    },
    emailColumn: {
      value: 'column',
      summary: 'a column with email addresses',
      default: 'by headings',
      isRepeatable: true,
    },
    nameColumn: {
      value: 'column',
      summary: 'the column with names',
      default: 'found by its heading',
    },
    countryColumn: {
      value: 'column',
      summary:
        'the column with the country of the phone numbers in each row, as two letters',
      default: '--country for all rows',
    },
    sheet: {
      value: 'name',
      summary: 'the sheet of a workbook',
      default: 'the only one with content',
    },
    ...countryOption,
    ...limitOption,
    annotate: {
      value: 'file',
      takes: 'file',
      summary:
        'write the table again with the contact of each row to this .csv or .xlsx file',
    },
  },
  effect: 'reads',
  columns: {
    ROW: 'row',
    MATCH: 'match',
    CONTACT: 'contactId',
    NAME: 'name',
    BY: 'by',
    LISTS: 'lists.name',
  },
  ids: 'contactId',
  run: async (context, _args, options) => {
    const { host, print } = context
    const { file, annotate } = options
    const [
      { valueReader },
      { inputOf },
      { readPeopleTable },
      { addedCells, matchAddition, matchTable, shownRows },
      { openCopy, writeCopy },
    ] = await Promise.all([
      import('../values.ts'),
      import('../../input/input.ts'),
      import('../people-table.ts'),
      import('../matching.ts'),
      import('../../cli/annotated-copy.ts'),
    ])
    const { settings } = await context.configuration()
    const readValues = valueReader(settings.country)
    const annotated =
      annotate === undefined
        ? undefined
        : await openCopy(context, annotate, file, matchAddition)
    const table = await readPeopleTable(
      inputOf(host, file),
      { ...options, onRow: annotated?.take },
      readValues,
    )
    for (const note of table.notes) context.note(note)
    await annotated?.checkFit()
    context.signals.listen()
    const source = await peopleSource(context, options)
    const matching = await matchTable(table, source, readValues)
    const notes = [...table.columnNotes, ...matching.notes]
    if (annotated !== undefined)
      notes.push(await writeCopy(context, annotated, addedCells(matching.rows)))
    const ending = {
      notes,
      warning: matching.warning,
      exitCode: matching.isComplete ? exit.done : exit.incomplete,
    }
    const isOnlyInFile = annotated !== undefined && print.format === 'table'
    if (isOnlyInFile) return noRows<ContactMatch>(ending)
    return firstRows([...shownRows(matching.rows)], print.rowLimit, { ending })
  },
})
