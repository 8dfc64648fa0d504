import { defineVerb } from '../../cli/verb.ts'
import { exitCodes, usageError } from '../../errors.ts'
import { fullName } from '../../api/names.ts'
import { rows } from '../../output/result.ts'
import { fileOption, idsArgument, inputOptions, readContactIds } from '../../cli/inputs.ts'
import type { Addition, TextsFor } from '../../input/annotated.ts'
import type { NamedInputs } from '../../input/items.ts'
import type { Context } from '../../cli/context.ts'
import type { People } from '../../api/people.ts'
import { groupDigits, pluralize } from '../../words.ts'
import {
  inOption,
  peopleSource,
  soughtColumns,
  soughtContacts,
  type SoughtContact,
} from '../../cli/lists.ts'

const addition: Addition = { headings: ['NAME', 'LISTS', 'FOUND'], idHeading: 'id' }

export const verb = defineVerb({
  description:
    'Show contacts by id, with their lists: a row for each id, in the order of the input. The service cannot look up a contact\n' +
    'by its id, so svc reads the members of all contact lists, or of those of --in. If an id is on none\n' +
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
    const named = { words, files: options.file }
    const annotated = await openAnnotated(context, options.annotate, named)
    const ids = await readContactIds(context, named, { ...options, onRow: annotated?.take })
    if (ids.length === 0 && annotated === undefined)
      return rows<SoughtContact>([], { empty: 'the input has no ids' })
    const source = await peopleSource(context, options)
    const { readPeople } = await import('../../api/people.ts')
    const keys = new Set(ids.map((id) => id.toLowerCase()))
    const people = await readPeople(source, ({ id }) => keys.has(id.toLowerCase()))
    const all = soughtContacts(people, ids)
    const found = all.filter((contact) => contact.found)
    const isComplete = found.length === all.length
    const notes = people.extentNotes(isComplete)
    const ending = { notes, exitCode: isComplete ? exitCodes.done : exitCodes.incomplete }
    const { format } = context.print
    if (annotated !== undefined) {
      const { writeCopy } = await import('../../cli/inputs.ts')
      notes.unshift(
        `${groupDigits(found.length)} of ${pluralize(all.length, 'contact')} found`,
      )
      notes.push(await writeCopy(context, annotated, cellsOf(people)))
      if (format === 'table') return rows<SoughtContact>([], { empty: undefined, ending })
    }
    return rows(format === 'ids' ? found : all, { ending })
  },
})

/** The table of --annotate. Throws exit 2 unless the ids come from one file, or from standard input. */
async function openAnnotated(
  context: Context,
  path: string | undefined,
  { words, files }: Required<NamedInputs>,
) {
  if (path === undefined) return undefined
  const isIdTyped = words.some((word) => word !== '-')
  if (isIdTyped || words.length + files.length > 1)
    throw usageError('--annotate needs the ids from exactly one file')
  const { openCopy } = await import('../../cli/inputs.ts')
  return openCopy(context, path, files[0] ?? '-', addition)
}

/** The cells to add to each row. */
function cellsOf(people: People): TextsFor {
  return (_, finding) => {
    if (finding.kind === 'no-data') return undefined
    // FOUND says `invalid` or `left-out`.
    if (finding.kind !== 'found') return ['', '', finding.kind]
    const contact = people.find(finding.id)
    if (contact === undefined) return ['', '', 'no']
    return [fullName(contact), contact.lists.map(({ name }) => name).join('; '), 'yes']
  }
}
