/**
 * The people who may sign: a policy's file of signers, in OpenSSH's format with one plain principal a line. Counted are persons: names
 * and keys that any lines tie together, whichever comes first, are one person.
 */
import type { BulkTools } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { hasInvisible } from '../output/text/safe.ts'
import { signersOf, type Policy, type Signer } from './policy.ts'
import { readTrustedFile } from './policy-files.ts'
import { fingerprints, namespaces, verify } from './ssh-keygen.ts'

export type SignTools = Pick<BulkTools, 'host' | 'signal' | 'note'>

interface Signed {
  readonly bytes: Buffer
  readonly signatures: readonly string[]
  /** The time at which keys must be valid, in milliseconds since 1970. */
  readonly at: number
}

/** The signers of these bytes, as far as the policy's file of signers knows them. Throws exit 2 for a wrong file. */
export async function findSigners(
  tools: SignTools,
  policy: Policy,
  { bytes, signatures, at }: Signed,
) {
  const part = signersOf(policy)
  if (part === undefined) return []
  const { path, isMachines } = part
  const { host } = tools
  // It is as hard to change as the policy that names it.
  const userId = isMachines ? host.machinePolicy?.owner : host.userId
  const text = readTrustedFile(host, path, { userId, isMachines })
  const { signers, personOf } = await checkSigners(tools, { path, text })
  const found: Signer[] = []
  for (const signature of signatures) {
    const signer = await verify(tools, {
      signers,
      signature,
      bytes,
      namespace: namespaces.plan,
      at,
    })
    if (signer !== undefined) found.push({ ...signer, person: personOf(signer.key), signature })
  }
  return found
}

const line =
  /^(?<principal>[^\s"',*?!#]+)(?: (?:namespaces|valid-after|valid-before)="[^\s"\\]*"(?:,(?:namespaces|valid-after|valid-before)="[^\s"\\]*")*)? (?<key>(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]+=*)(?: .*)?$/i

/** Lines of the file as ssh-keygen takes them, whatever their line ends were, and who is whose key. Throws exit 2, naming the first line that is wrong. */
async function checkSigners(
  tools: SignTools,
  { path, text }: { readonly path: string; readonly text: string },
) {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((each) => each.replaceAll('\t', ' ').trim())
  const refuse = (at: number, problem: string): never => {
    throw new SvcError('config', `${path}, line ${at + 1}, ${problem}`, {
      hint: 'a line is a name, options (namespaces, valid-after, valid-before) if there are any, and a public key; no pattern, no authority',
    })
  }
  const entries = lines.flatMap((each, at) => {
    if (each === '' || each.startsWith('#')) return []
    const { principal, key } = line.exec(each)?.groups ?? {}
    if (principal === undefined || key === undefined)
      return refuse(at, 'is not one plain principal with its key')
    if (hasInvisible(principal)) return refuse(at, 'has an invisible character in its name')
    return [{ at, principal, key }]
  })
  const keys = await fingerprints(
    tools,
    entries.map(({ key }) => key),
  )
  const known = entries.map(({ at, principal }, n) => {
    return { principal, key: keys[n] ?? refuse(at, 'has a key that ssh-keygen cannot read') }
  })
  return { signers: `${lines.join('\n')}\n`, personOf: personsOf(known) }
}

/** Letter case and compatible forms of a character make no other name. */
const fold = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')

/** From the key of a line to its person: the same text for all names and keys that are tied by any lines. */
export function personsOf(
  lines: Iterable<Pick<Signer, 'principal' | 'key'>>,
): (key: string) => string {
  const ties = new Map<string, string>()
  const rootOf = (mark: string): string => {
    let root = mark
    for (let next = ties.get(root); next !== undefined; next = ties.get(root)) root = next
    return root
  }
  for (const { principal, key } of lines) {
    const [name, ofKey] = [rootOf(`name ${fold(principal)}`), rootOf(`key ${key}`)]
    if (name !== ofKey) ties.set(name, ofKey)
  }
  return (key) => rootOf(`key ${key}`)
}
