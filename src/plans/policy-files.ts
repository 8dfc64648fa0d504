/**
 * Where policies are written: in a profile, and for all users of a machine in one file that only root may write. `cli/context.ts` reads them
 * before a change is sent, and `profiles show` shows them.
 *
 * A policy that cannot be read, or that others could have written, forbids everything: nobody gains anything by making one unreadable.
 */
import * as v from 'valibot'
import { parseJsonFile } from '../config/json.ts'
import { readBaseUrl } from '../config/rules.ts'
import type { Profile } from '../config/profile.ts'
import { fileError } from '../errno.ts'
import { SvcError } from '../errors.ts'
import { readTrusted } from '../disk/trust.ts'
import type { Host } from '../host.ts'
import { AnyObject, PolicyRules, type Policy, type PolicyPart } from './policy.ts'

const MachineFile = v.pipe(
  AnyObject,
  v.strictObject(
    {
      schema: v.literal('svc.policy/1', 'must be "svc.policy/1"'),
      /** By base URL. */
      policies: AnyObject,
    },
    () => 'is not a member: the file has only schema and policies',
  ),
)

/** Every policy that binds this profile. Throws exit 2 for one that cannot be read, is malformed, or that others can write. */
export function readPolicy(
  host: Host,
  { policy, baseUrl }: Pick<Profile, 'policy' | 'baseUrl'>,
): Policy {
  const parts = machinePolicy(host, baseUrl)
  if (policy === undefined) return parts
  const { source, value } = policy
  return [...parts, { source, rules: parseWith(source, PolicyRules, value) }]
}

/** Policies of the machine's file for this base URL. A mistake in another one is an error too. */
function machinePolicy(host: Host, baseUrl: string): PolicyPart[] {
  const { machinePolicy: place } = host
  if (place === undefined) return []
  const { path, owner } = place
  const text = readFile(host, path, owner)
  if (text === undefined) return []
  const { policies } = parseWith(path, MachineFile, parseJsonFile(path, text))
  const parts: PolicyPart[] = []
  for (const [url, value] of Object.entries(policies)) {
    const source = `${path} (${url})`
    const address = readBaseUrl(url)
    if (address.problem !== undefined)
      throw policyError(`${source} is not a usable base URL: ${address.problem}`)
    // Every request has a path below it, so a policy for exactly this URL would apply to nothing.
    if (/\/v1$/i.test(address.url)) {
      throw policyError(`${source} must be a base URL, without /v1`)
    }
    const rules = parseWith(source, PolicyRules, value)
    if (address.url === baseUrl) parts.push({ source, rules })
  }
  return parts
}

function parseWith<T>(
  where: string,
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
): T {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return result.output
  const [issue] = result.issues
  const member = v.getDotPath(issue) ?? 'the policy'
  throw policyError(`${where}: ${member} ${issue.message}`)
}

/** The text of a file that only its owner and root can write or replace; undefined if there is no such file. Throws exit 2. */
function readFile(
  { disk }: Host,
  path: string,
  owner: number | undefined,
): string | undefined {
  try {
    // A link that leads nowhere exists, but cannot be read.
    if (disk.lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
  } catch (error) {
    throw fileError('config', `${path} cannot be read`, error)
  }
  const { bytes } = readTrusted({ disk, userId: owner }, path, {
    most: 1 << 20,
    rule: 'strict',
    wayOut: 'ask the administrator of this machine; until then, svc changes nothing',
  })
  const text = bytes.toString()
  if (text.includes('\ufffd')) throw policyError(`${path} is not UTF-8 text`)
  return text.replace(/^\ufeff/, '')
}

const policyError = (problem: string): SvcError =>
  new SvcError('config', problem, {
    hint: 'until the policy can be read, svc changes nothing',
  })
