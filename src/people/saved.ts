/** Contacts that `svc contacts list --out people.ndjson` saved, so that people are found without a request. */
import { isUtf8 } from 'node:buffer'
import type { FoundContact, People } from '../api/people.ts'
import { usageError } from '../errors.ts'
import type { Host } from '../host.ts'
import { inputName, isStdin, readWhole, refuseBytes } from '../input/bytes.ts'
import { shorten } from '../safe-text.ts'
import { isId } from '../identifiers.ts'
import { isObject } from '../json.ts'
import { pluralize } from '../words.ts'

/** Reads saved contacts, and notes how old they are. Throws a usage error for a file that has anything else, or nothing. */
export async function readSaved(
  host: Host,
  path: string,
  note: (text: string) => void,
): Promise<People> {
  const name = inputName(path)
  if (isStdin(path)) throw usageError(`--from takes a file, not ${name}`)
  const bytes = await readWhole(host, path)
  if (!isUtf8(bytes)) refuseBytes(name, bytes)
  /** The contacts by their ids in lower case. */
  const contacts = new Map<string, FoundContact>()
  let lineNumber = 0
  // A text of the whole file would take much memory, so the lines are decoded one by one.
  for (let start = 0, end = 0; start < bytes.length; start = end + 1) {
    end = bytes.indexOf('\n', start)
    if (end < 0) end = bytes.length
    lineNumber += 1
    const line = bytes.toString('utf8', start, end)
    if (line.trim() === '') continue
    const contact = contactIn(line)
    if (contact === undefined) throw notSavedError(`line ${lineNumber} of ${name}`)
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

/** Returns the contact of a line; undefined if svc did not write it. A schema would copy each contact. */
function contactIn(line: string) {
  try {
    const value: unknown = JSON.parse(line)
    return isContact(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isContact(value: unknown): value is FoundContact {
  if (!isObject(value) || !isId(value['id'])) return false
  const { identities, lists } = value
  const areTexts = (texts: unknown) =>
    texts === null ||
    (Array.isArray(texts) && texts.every((each) => typeof each === 'string'))
  return (
    ['firstName', 'lastName', 'createdAt'].every((name) => isTextOrNone(value[name])) &&
    Object.values(identities ?? {}).every(areTexts) &&
    Array.isArray(lists) &&
    lists.every((list) => isObject(list) && isId(list['id']) && isTextOrNone(list['name']))
  )
}

const isTextOrNone = (value: unknown) => value == null || typeof value === 'string'

function notSavedError(what: string) {
  return usageError(
    `${what} has no contact that svc saved`,
    'to save the contacts:\n  svc contacts list --out people.ndjson',
  )
}

/** Says how long ago something was, in the largest unit that gives 2 or more. */
function ageOf(ms: number) {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  const units = [[1440, 'day'] as const, [60, 'hour'] as const]
  const [size, unit] = units.find(([most]) => minutes >= 2 * most) ?? [1, 'minute']
  return `${pluralize(Math.floor(minutes / size), unit)} ago`
}
