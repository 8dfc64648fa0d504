import { tablePlaceOptions } from '../../cli/inputs.ts'
import { readContacts, sourceOptions } from '../../cli/contacts.ts'
import { defineVerb, countryOption } from '../../cli/verb.ts'
import { exitCodes, usageError } from '../../errors.ts'
import { id, number, rows, text } from '../../output/result.ts'
import type { ContactMatch } from '../../people/match.ts'

/** The option for a column, by its heading or its number. `what` it has stands in the help. */
const columnOption = (what: string) =>
  ({ value: 'name|n', summary: `a column with ${what}`, isRepeatable: true }) as const

/** The exit code is 3 until every row has a decision, so that a script does not continue with half of a table. */
export const verb = defineVerb({
  summary: 'find the contact of each row of a table of people',
  description:
    'Find the contact for each row of a table of people, by phone number or email address. A name alone is never enough. ' +
    'As csv or xlsx, it gives the table back with contactId, MATCH, WHY and CANDIDATES. svc fills in contactId where MATCH is "one". ' +
    'Fill in the others yourself, or write - for nobody: svc never changes a filled contactId. Exit code 0 if every row has a ' +
    'contactId, else 3.',
  notes: `MATCH (svc help spreadsheets):
  one         exactly one contact has all known values, and the names agree
  check       one contact fits, but not surely: WHY says why
  several     more than one contact fits
  none        every value was understood, and nobody on the lists has it
  unreadable  a cell was not understood, or there is nothing to look for
  differs     somebody else fits the row better than the filled contactId`,
  examples: [
    'svc contacts match people.csv',
    'svc contacts match people.csv --out matched.xlsx',
    'svc contacts match people.csv -o ids',
  ],
  arguments: [
    { name: 'table', takes: 'file', summary: 'csv or a workbook; - for standard input' },
  ],
  options: {
    file: { value: 'table', takes: 'file', summary: 'the same as the argument' },
    ...sourceOptions,
    phoneColumn: columnOption('phone numbers'),
    emailColumn: columnOption('email addresses'),
    nameColumn: columnOption('names'),
    countryColumn: columnOption('countries'),
    ...tablePlaceOptions,
    ...countryOption,
  },
  isRead: true,
  columns: {
    ROW: number('row'),
    NAME: text('name'),
    MATCH: text('match'),
    CONTACT: id('contactId'),
    WHY: text('why'),
  },
  ids: ({ contactId, match }: ContactMatch) =>
    contactId === '-' || match === 'differs' ? undefined : contactId,
  act: async (context, [typed], options) => {
    const [path, ...more] = [typed, options.file].filter((given) => given !== undefined)
    if (path === undefined || more.length > 0)
      throw usageError('give one table of people, as the argument or with --file')
    const { host, messages, note, print } = context
    const { settings } = await context.configuration()
    const { readPeopleTable } = await import('../../people/people-table.ts')
    const { country } = settings
    const table = await readPeopleTable(host, path, { ...options, country, note })
    table.notes.forEach(note)
    // Until here, a signal ends svc at once, because there is nothing to clean up. From here on, svc ends its requests first.
    context.signals.listen()
    const contacts = await readContacts(context, options)
    const { copyMatched, isSettled, matchPeople } = await import('../../people/match.ts')
    const { matches, notes } = matchPeople(table, contacts)
    const areAllFound = matches.every(({ match }) => match !== 'none')
    const ending = {
      notes: [...notes, ...contacts.extentNotes(areAllFound)],
      exitCode: matches.every(isSettled) ? exitCodes.done : exitCodes.incomplete,
    }
    const { format, fields } = print
    if ((format !== 'csv' && format !== 'xlsx') || fields !== undefined)
      return rows(matches, ending)
    // Names come from the service, which may repeat the secret in them.
    const pieces = copyMatched(table, messages.redactor.hide(matches), format)
    return { kind: 'table' as const, pieces, ...ending }
  },
})
