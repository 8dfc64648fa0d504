import { checkCopy, tablePlaceOptions, writeCopy } from '../../cli/inputs.ts'
import { peopleSource, inOption, changesWhileReading } from '../../cli/lists.ts'
import { defineVerb, countryOption, limitOption } from '../../cli/verb.ts'
import { exitCodes, usageError } from '../../errors.ts'
import { firstRows, rows } from '../../output/result.ts'
import type { ContactMatch } from '../match.ts'

/** The value of an option for a column: a heading or a number. */
const value = 'name|n'
const isRepeatable = true

/** The exit code is 3 until every row has a decision, so that a script does not continue with half of a table. */
export const verb = defineVerb({
  description:
    'Find the contact for each row of a table of people, by phone number or email address. A name alone is never enough. ' +
    '--annotate writes the table again with contactId, MATCH, WHY and CANDIDATES. svc fills in contactId where MATCH is "one". ' +
    'Fill in the others yourself, or write - for nobody: svc never changes a filled contactId. Exit code 0 if every row has one, ' +
    'else 3.',
  notes: `MATCH:
  one         exactly one contact has all known values, and the names agree
  check       one contact fits, but a number is only similar, others have
              some of these values, or the name differs
  several     more than one contact fits
  none        every value was understood, and nobody on the lists has it
  unreadable  a cell was not understood, or there is nothing to look for

${changesWhileReading}`,
  examples: [
    'svc contacts match people.csv',
    'svc contacts match people.csv --annotate matched.xlsx',
    'svc contacts match people.csv -o ids',
  ],
  arguments: [
    { name: 'table', takes: 'file', summary: 'csv or a workbook; - for standard input' },
  ],
  options: {
    file: { value: 'table', takes: 'file', summary: 'the same as the argument' },
    ...inOption,
    phoneColumn: { value, summary: 'a column with phone numbers', isRepeatable },
    emailColumn: { value, summary: 'a column with email addresses', isRepeatable },
    nameColumn: { value, summary: 'a column with names', isRepeatable },
    countryColumn: { value, summary: 'the column with the country of each row (DE)' },
    ...tablePlaceOptions,
    ...countryOption,
    ...limitOption,
    annotate: {
      value: 'file',
      takes: 'file',
      summary: 'write the table again with its contacts (.csv or .xlsx)',
    },
  },
  effect: 'reads',
  columns: {
    ROW: 'row',
    NAME: 'name',
    MATCH: 'match',
    CONTACT: 'contactId',
    WHY: 'why',
  },
  ids: ({ contactId }: ContactMatch) => (contactId === '-' ? undefined : contactId),
  run: async (context, [table], options) => {
    const { host, print } = context
    const { annotate } = options
    const [path, ...more] = [table, options.file].filter((given) => given !== undefined)
    if (path === undefined || more.length > 0)
      throw usageError('give one table of people, as the argument or with --file')
    const { readPeopleTable } = await import('../people-table.ts')
    const { matchHeadings: headings } = await import('../columns.ts')
    const { matchTable } = await import('../match.ts')
    const { settings } = await context.configuration()
    if (annotate !== undefined) await checkCopy(context, annotate)
    const people = await readPeopleTable(host, path, {
      ...options,
      country: settings.country,
      note: context.note,
    })
    for (const note of people.notes) context.note(note)
    // Until here, a signal ends svc at once, because there is nothing to clean up. From here on, svc ends its requests first.
    context.signals.listen()
    const source = await peopleSource(context, options)
    const { rows: all, notes, textsFor, isComplete } = await matchTable(people, source)
    if (annotate !== undefined)
      notes.push(await writeCopy(context, annotate, { ...people, headings }, textsFor))
    const ending = { notes, exitCode: isComplete ? exitCodes.done : exitCodes.incomplete }
    // The user reads the rows in the file.
    const isOnlyInFile = annotate !== undefined && print.format === 'table'
    return isOnlyInFile
      ? rows<ContactMatch>([], { empty: undefined, ending })
      : firstRows(all, print.rowLimit, { ending })
  },
})
