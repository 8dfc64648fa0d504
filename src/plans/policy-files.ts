/**
 * Where policies are written: in the profile, and for all users of a machine in one file that only root may write. `permit.ts` reads them before
 * a change is sent; `doctor`, `profiles show`, help as JSON and plans read them to tell people. `approvals.ts` reads the file of signers here.
 *
 * A policy that cannot be read, or that others could have written, forbids everything: nobody gains anything by making one unreadable.
 */
import * as v from 'valibot'
import { parseJsonFile } from '../config/json.ts'
import { readBaseUrl } from '../config/rules.ts'
import type { Configuration, Profile } from '../config/profile.ts'
import { fileError } from '../errno.ts'
import { SvcError } from '../errors.ts'
import { readTrusted } from '../disk/trust.ts'
import type { Host } from '../host.ts'
import { isLoopback } from '../values.ts'
import { exactObject, plainObject, PolicyMembers, type Policy, type PolicyPart } from './policy.ts'

const MachineFile = exactObject(
  {
    schema: v.literal('svc.policy/1', 'must be "svc.policy/1"'),
    policies: v.pipe(
      plainObject('must be an object of policies by base URL', (url) => {
        if (!readBaseUrl(url).ok) return 'is not a usable base URL'
        // Every request is below it: a policy for it alone would bind nothing.
        return /\/v1\/*$/i.test(url) ? 'must be a base URL, without /v1' : undefined
      }),
      v.record(v.string(), PolicyMembers),
    ),
  },
  'is not a member: the file has schema and policies alone',
)

/** Every policy that binds this profile. Throws exit 2 for one that cannot be read, is malformed, or that others can write. */
export function readPolicy(
  host: Host,
  { policy, baseUrl }: Pick<Profile, 'policy' | 'baseUrl'>,
): Policy {
  if (policy === undefined) return machinePolicy(host, baseUrl)
  const { value, source } = policy
  const members = parseWith(source, PolicyMembers, value)
  const profilePart = { source, isMachines: false, members }
  return [...machinePolicy(host, baseUrl), profilePart]
}

/** Every policy that binds the profile that is used, or why it is not known. */
export async function findPolicy({
  host,
  configuration,
}: {
  readonly host: Host
  readonly configuration: () => Promise<Configuration>
}) {
  try {
    return { policy: readPolicy(host, (await configuration()).profile()) }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return { policy: undefined, problem: error.message }
  }
}

/** Policies of the machine's file for this base URL, and for those that it lies below. */
function machinePolicy(host: Host, baseUrl: string): PolicyPart[] {
  const { machinePolicy: place } = host
  if (place === undefined) return []
  const { path } = place
  // A link that leads nowhere is there, and unreadable.
  if (!isThere(host, path)) return []
  const text = readTrustedFile(host, path, { userId: place.owner, isMachines: true })
  const { policies } = parseWith(path, MachineFile, jsonOf(path, text))
  const address = addressOf(baseUrl)
  const parts: PolicyPart[] = []
  for (const [url, members] of Object.entries(policies)) {
    const isBinding = address.startsWith(addressOf(url))
    if (isBinding) parts.push({ source: `${path} (${url})`, isMachines: true, members })
  }
  return parts
}

function isThere({ disk }: Host, path: string): boolean {
  try {
    return disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
}

function jsonOf(path: string, text: string): unknown {
  if (/[\ufffd\0]/.test(text)) throw new SvcError('config', `${path} is not UTF-8 text`)
  return parseJsonFile(path, text.replace(/^\ufeff/, ''))
}

function parseWith<T>(where: string, schema: v.GenericSchema<unknown, T>, value: unknown): T {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const member = v.getDotPath(issue) ?? 'the policy'
  throw new SvcError('config', `${where}: ${member} ${issue.message}`, {
    hint: 'until the policy can be read, svc writes nothing',
  })
}

/** Two addresses of one service are the same text: letter case, default ports, trailing dots, escapes and empty segments aside. */
function addressOf(url: string): string {
  const { protocol, hostname, port, pathname } = new URL(url)
  const name = isLoopback(hostname) ? 'localhost' : hostname.replace(/\.+$/, '')
  const plain = pathname.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  )
  let path = '/'
  for (const segment of plain.split(/[/\\]+/)) {
    const bare = segment.replace(/;.*$/, '').toLowerCase()
    if (bare !== '') path += `${bare}/`
  }
  return `${protocol}//${name}:${port}${path}`
}

/** Bytes of a policy, or of a file of signers. */
const largest = 1024 * 1024

/** The text of a file that only a user and root can write or replace; of the machine's, by no group or sticky folder either. Throws exit 2. */
export function readTrustedFile(
  { disk }: Pick<Host, 'disk'>,
  path: string,
  { userId, isMachines }: Trust,
): string {
  const { bytes } = readTrusted({ disk, userId }, path, {
    most: largest,
    rule: isMachines ? 'strict' : 'usual',
    wayOut: 'ask the administrator of this machine; until then, svc writes nothing',
  })
  return bytes.toString()
}

/** Who may write a file: this user and root; of the machine's file no group either. */
interface Trust {
  readonly userId: number | undefined
  readonly isMachines: boolean
}
