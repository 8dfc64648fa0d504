/**
 * Stand-in for ssh-keygen in a world. A signature of it names its key, its namespace and the checksum of what was signed, so that the judge
 * knows without the program who signed what. Nobody in a world forges one.
 */
import { createHash } from 'node:crypto'
import { linesOf } from './printed.ts'
import type { Program, ProgramResult } from '../../src/programs.ts'

/** Where svc finds it. */
export const keygenPath = '/usr/bin/ssh-keygen'

export interface Signature {
  /** Name of the key. */
  readonly key: string
  readonly namespace: string
  readonly sha256: string
}

/** Persons with the names of their keys, and how the file of signers calls each key; a key without a line may sign nothing. */
const persons: Readonly<Record<string, Readonly<Record<string, string | undefined>>>> = {
  ana: { ana: 'ana@example.com', 'ana-2': 'ana@example.com' },
  // Letter case makes no other person.
  ben: { ben: 'ben@example.com', 'ben-2': 'Ben@Example.com' },
  cleo: { cleo: 'cleo@example.com' },
  dora: { dora: 'dora@example.com valid-before="20260101000000"' },
  eve: { eve: undefined },
}

export const keyNames = Object.values(persons).flatMap((keys) => Object.keys(keys))

/** The persons whose signatures count. */
const signers = ['ana', 'ben', 'cleo']

/** The one who writes each plan, with the key of the same name. */
export const author = 'ana'

export const keyPath = (name: string): string => `/ana/.ssh/${name}`

const publicKey = (name: string): string => `ssh-ed25519 ${Buffer.from(name).toString('base64')}`

/** The file of allowed signers. */
export const signersText = Object.values(persons)
  .flatMap((keys) => Object.entries(keys))
  .flatMap(([name, principal]) =>
    principal === undefined ? [] : [`${principal} ${publicKey(name)}\n`],
  )
  .join('')

/** Key files by their paths. */
export const keyFiles = new Map(
  keyNames.map((name) => [keyPath(name), `${publicKey(name)} ${name}\n`]),
)

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex')

const begin = '-----BEGIN SSH SIGNATURE-----\n'
const end = '-----END SSH SIGNATURE-----\n'

export const signatureText = (signature: Signature): string =>
  `${begin}${JSON.stringify(signature)}\n${end}`

/** The signature that a file is; undefined for any other file. */
export const signatureIn = (text: string): Signature | undefined =>
  text.startsWith(begin) ? (linesOf(text)[0] as Signature) : undefined

/** How many persons but the author have signed a plan of this checksum. */
export function approversOf(sha256: string, signatures: readonly Signature[]): number {
  const keys = signatures.flatMap((signature) =>
    signature.namespace === 'svc-plan' && signature.sha256 === sha256 ? [signature.key] : [],
  )
  const hasSigned = (person: string): boolean =>
    keys.some((key) => Object.hasOwn(persons[person] ?? {}, key))
  if (!keys.includes(author)) return 0
  return signers.filter((person) => person !== author && hasSigned(person)).length
}

/** As ssh-keygen prints it. */
function fingerprint(blob: string): string {
  const sum = createHash('sha256').update(Buffer.from(blob, 'base64')).digest('base64')
  return `SHA256:${sum.replace(/=+$/, '')}`
}

const nameOf = (line: string): string =>
  Buffer.from(/ssh-ed25519 (\S+)/.exec(line)?.[1] ?? '', 'base64').toString()

const ended = (stdout: string, code = 0): ProgramResult => ({ code, signal: null, stdout })
const refused = ended('', 255)

/** The principal of a key by a file of signers at a time such as 20260301101500. */
function principalOf(text: string, key: string, time: string): string | undefined {
  const line = text.split('\n').find((each) => nameOf(each) === key)
  const [, before = '9'] = /valid-before="(\d+)"/.exec(line ?? '') ?? []
  return time < before ? line?.split(' ')[0] : undefined
}

/** Runs it to its end. `signed` hears of each signature that it makes. */
export function keygen(
  { words, input = Buffer.alloc(0) }: Pick<Program, 'words' | 'input'>,
  readFile: (path: string) => string | undefined,
  signed: (signature: Signature) => void,
): ProgramResult {
  const option = (name: string): string => words[words.indexOf(name) + 1] ?? ''
  const file = readFile(option('-f')) ?? ''
  if (words[0] === '-l') {
    const keys = option('-f') === '-' ? Buffer.from(input).toString() : file
    const found = [...keys.matchAll(/^ssh-ed25519 (\S+) (\S+)$/gm)]
    const lines = found.map(
      ([, blob = '', comment]) => `256 ${fingerprint(blob)} ${comment} (ED25519)\n`,
    )
    return lines.length === 0 ? refused : ended(lines.join(''))
  }
  const [, verb] = words
  const namespace = option('-n')
  const sha256 = sha256Of(input)
  if (verb === 'sign') {
    if (!file.startsWith('ssh-ed25519 ')) return refused
    const signature = { key: nameOf(file), namespace, sha256 }
    signed(signature)
    return ended(signatureText(signature))
  }
  const signature = signatureIn(readFile(option('-s')) ?? '')
  const [, time = ''] = /verify-time=(\d+)/.exec(words.join(' ')) ?? []
  const principal = signature && principalOf(file, signature.key, time)
  if (signature === undefined || principal === undefined) return refused
  // It reads no further than the key.
  if (verb === 'find-principals') return ended(`${principal}\n`)
  const isGood =
    signature.namespace === namespace && signature.sha256 === sha256 && option('-I') === principal
  const key = fingerprint(Buffer.from(signature.key).toString('base64'))
  return isGood
    ? ended(`Good "${namespace}" signature for ${principal} with ED25519 key ${key}\n`)
    : refused
}
