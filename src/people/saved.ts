/** Contacts that `svc contacts list --out people.ndjson` saved, so that people are found without a request. */
import * as v from 'valibot'
import type { FoundContact, People } from '../api/people.ts'
import { Contact } from '../api/schemas.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import {
  decodeText,
  inputName,
  isStdin,
  readWhole,
  type InputHost,
} from '../input/bytes.ts'
import { shorten } from '../safe-text.ts'
import { pluralize } from '../words.ts'

/** A contact with the lists that it was on. */
const SavedContact = v.looseObject({
  ...Contact.entries,
  lists: v.array(v.looseObject({ id: v.string(), name: v.string() })),
})

/** Reads saved contacts, and notes how old they are. Throws a usage error for a file that has anything else, or nothing. */
export async function readSaved(
  host: InputHost & Pick<Host, 'now'>,
  path: string,
  note: (text: string) => void,
): Promise<People> {
  const name = inputName(path)
  if (isStdin(path)) throw usageError(`--from takes a file, not ${name}`)
  const { text } = decodeText(name, await readWhole(host, path))
  /** The contacts by their ids in lower case. */
  const contacts = new Map<string, FoundContact>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const contact = contactIn(line)
    if (contact === undefined) throw notSavedError(`line ${index + 1} of ${name}`)
    contacts.set(contact.id.toLowerCase(), contact)
  }
  if (contacts.size === 0) throw notSavedError(name)
  const count = pluralize(contacts.size, 'contact')
  note(
    `${name} has ${count}, saved ${ageOf(host.now() - host.disk.statSync(path).mtimeMs)}`,
  )
  const extentNote = `looked through the ${count} of ${name}; others may be on the lists by now`
  return {
    all: [...contacts.values()],
    find: (id) => contacts.get(id.toLowerCase()),
    extentNotes: (isEverythingFound) => (isEverythingFound ? [] : [extentNote]),
    place: ` in ${shorten(path, 200)}`,
  }
}

function contactIn(line: string) {
  try {
    const { success, output } = v.safeParse(SavedContact, JSON.parse(line))
    return success ? output : undefined
  } catch {
    return undefined
  }
}

function notSavedError(what: string) {
  return usageError(
    `${what} has no contact that svc saved`,
    'to save the contacts:\n  svc contacts list --out people.ndjson',
  )
}

/** Says how long ago something was, in the largest unit of which it is two. */
function ageOf(ms: number) {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const units = [[1440, 'day'] as const, [60, 'hour'] as const]
  const [size, unit] = units.find(([most]) => minutes >= 2 * most) ?? [1, 'minute']
  return `${pluralize(Math.floor(minutes / size), unit)} ago`
}
