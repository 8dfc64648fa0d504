import { fullName } from '../../api/names.ts'
import type { People } from '../../api/people.ts'
import type { Context } from '../../cli/context.ts'
import {
  fileOption,
  idsArgument,
  inputOptions,
  openCopy,
  readContactIds,
  writeCopy,
} from '../../cli/inputs.ts'
import {
  inOption,
  peopleSource,
  seekContacts,
  soughtColumns,
  type SoughtContact,
} from '../../cli/lists.ts'
import { defineVerb } from '../../cli/verb.ts'
import { exitCodes, usageError } from '../../errors.ts'
import type { Addition, TextsFor } from '../../input/annotated.ts'
import { rows } from '../../output/result.ts'
import { groupDigits, pluralize } from '../../words.ts'

/** The columns that a copy adds. A list of ids without a heading gets one, too. */
const addition: Addition = { headings: ['NAME', 'LISTS', 'FOUND'], idHeading: 'id' }

export const verb = defineVerb({
  description:
    'Show contacts by id, with their lists: a row for each id, in the order of the input. The service cannot look up a contact ' +
    'by its id, so svc reads the members of all contact lists, or of those of --in. If an id is on none ' +
    'of these lists, FOUND says no and the exit code is 3. Such a contact can still exist.',
  examples: [
    'svc contacts get 64007f0bd5aad2927b00036f --in VIP',
    'svc lists members VIP -o ids | svc contacts get - -o csv',
  ],
  arguments: [idsArgument],
  options: {
    ...fileOption,
    ...inputOptions,
    ...inOption,
    annotate: {
      value: 'file',
      takes: 'file',
      summary: 'write the input again with NAME, LISTS and FOUND (.csv or .xlsx)',
    },
  },
  effect: 'reads',
  columns: soughtColumns,
  ids: 'id',
  run: async (context, [words], options) => {
    const copy = await openAnnotated(context, words, options)
    const how = { ...options, words, onRow: copy?.take }
    const ids = await readContactIds(context, how)
    if (ids.length === 0 && copy === undefined)
      return rows<SoughtContact>([], { empty: 'the input has no ids' })
    const source = await peopleSource(context, options)
    const { contacts, people, areAllFound } = await seekContacts(source, ids)
    const found = contacts.filter((contact) => contact.found)
    const notes = people.extentNotes(areAllFound)
    const exitCode = areAllFound ? exitCodes.done : exitCodes.incomplete
    const { format } = context.print
    if (copy !== undefined) {
      const counts = `${groupDigits(found.length)} of ${pluralize(ids.length, 'contact')} found`
      notes.unshift(counts)
      notes.push(await writeCopy(context, copy, cellsOf(people)))
    }
    // A person reads the copy instead of a table.
    const isOnlyCopied = copy !== undefined && format === 'table'
    if (isOnlyCopied)
      return rows<SoughtContact>([], { empty: undefined, ending: { notes, exitCode } })
    return rows(format === 'ids' ? found : contacts, { ending: { notes, exitCode } })
  },
})

/** Opens the table of --annotate. Throws a usage error for ids that are typed, and for several inputs. */
async function openAnnotated(
  context: Context,
  words: readonly string[],
  { annotate: path, file }: { annotate?: string | undefined; file: readonly string[] },
) {
  if (path === undefined) return undefined
  const isIdTyped = words.some((word) => word !== '-')
  const inputCount = words.length + file.length
  if (isIdTyped || inputCount > 1)
    throw usageError(
      '--annotate needs the ids from exactly one file, or from standard input',
    )
  return openCopy(context, path, addition)
}

/** The cells of NAME, LISTS and FOUND for each row. A row without an id says in FOUND why: `invalid` or `left-out`. */
function cellsOf(people: People): TextsFor {
  return (_, finding) => {
    if (finding.kind === 'no-data') return undefined
    // A row is `found` if it has an id. Whether there is such a contact is another question.
    if (finding.kind !== 'found') return ['', '', finding.kind]
    const contact = people.find(finding.id)
    if (contact === undefined) return ['', '', 'no']
    const lists = contact.lists.map(({ name }) => name).join('; ')
    return [fullName(contact), lists, 'yes']
  }
}
