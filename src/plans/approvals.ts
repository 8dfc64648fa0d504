/**
 * From the bytes of a plan and its signatures to what a policy judges: who planned it, and who approved it. `permit.ts` asks before anything is
 * sent, `describe.ts` when a plan is shown; `apply.ts` refuses plans in the words of this file.
 *
 * The rules. A signature counts when its key is in the policy's file of signers and was valid at the time. Persons are counted, not keys:
 * names and keys that lines of that file tie together are one person. Nobody approves a plan of their own.
 */
import { partyIn } from '../bulk/operations/operation.ts'
import type { ParameterValues } from '../bulk/record/run.ts'
import type { BulkTools, SignedPlan } from '../bulk/tools.ts'
import { SvcError } from '../errors.ts'
import { PlanFile, type PlanDocument } from './plan-file.ts'
import {
  approvalsNeeded,
  type IntendedChange,
  type Policy,
  type Signer,
  signersOf,
} from './policy.ts'
import { hasInvisible } from '../safe-text.ts'
import { readTrustedFile } from './policy-files.ts'
import { fingerprints, namespaces, verify } from './ssh-keygen.ts'

/** As much of a plan as a policy judges. */
type JudgedPlan = Pick<PlanFile, 'count' | 'name'> & {
  readonly document: Pick<PlanDocument, 'operation' | 'plannedBy'>
}

/**
 * The change that a plan is, with those who signed it: its author, whose key the plan names, and one signature of each other person.
 * Nobody who is tied to the author approves anything. Pure.
 */
export function changeOf({ document, count, name }: JudgedPlan, signers: readonly Signer[]) {
  const { operation, plannedBy } = document
  const author = signers.find(({ key }) => key === plannedBy.key)
  const persons = new Map<string, Signer>()
  for (const signer of signers) persons.set(signer.person, signer)
  if (author !== undefined) persons.delete(author.person)
  const approvals = [...persons.values()]
  return { operation, ids: count, once: name, author, approvals }
}

/** The change of a plan that is about to be sent. Throws exit 6 when that plan cannot be applied here and now, exit 2 for wrong signers. */
export async function changeToSend(
  tools: SignTools & Pick<BulkTools, 'configuration'>,
  policy: Policy,
  { bytes, signatures, run }: SignedPlan,
): Promise<IntendedChange> {
  const { host } = tools
  const plan = PlanFile.parse(bytes, run?.once?.name ?? 'that is applied')
  const configuration = await tools.configuration()
  const { baseUrl } = configuration.profile()
  // A run that has begun in time may end after its plan has expired.
  const judgedAt = run === undefined ? host.now() : undefined
  refuse(plan.refusal(baseUrl, judgedAt))
  const { operation } = plan.document
  if (run !== undefined) {
    const isOfPlan =
      run.once?.name === plan.name &&
      run.operation === operation &&
      isSame(run.parameters, plan.parameters)
    if (!isOfPlan) refuse(`it is not the one that run ${run.run} was begun with`)
  }
  const at = run === undefined ? host.now() : Date.parse(run.startedAt)
  // Where no approvals are wanted, ssh-keygen need not be there.
  const isSigned = approvalsNeeded(policy, operation) > 0
  const signers = isSigned ? await findSigners(tools, policy, { bytes, signatures, at }) : []
  return changeOf(plan, signers)
}

/** Whether two runs change the same in the same way. Names may have changed. */
function isSame(before: ParameterValues, now: ParameterValues): boolean {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)])
  return [...keys].every((key) => {
    const hasFlag = before[key] === true
    if (hasFlag) return now[key] === true
    return partyIn(before, key)?.id === partyIn(now, key)?.id
  })
}

/** Throws exit 6 when there is a problem. */
export function refuse(problem: string | undefined): void {
  if (problem === undefined) return
  throw new SvcError('rejected', `the plan cannot be applied: ${problem}; nothing was sent`, {
    hint: 'a plan holds for one service and for a limited time: write a new one with --plan',
  })
}

type SignTools = Pick<BulkTools, 'host' | 'signal' | 'note'>

/** Bytes with what is said to be their signatures. */
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
  const verified: Signer[] = []
  for (const signature of signatures) {
    const signer = await verify(tools, {
      signers,
      signature,
      bytes,
      namespace: namespaces.plan,
      at,
    })
    if (signer === undefined) continue
    const person = personOf(signer.key)
    verified.push({ ...signer, person, signature })
  }
  return verified
}

/** A name that stands for nobody else: no list, no pattern, no quotes. */
const principal = /[^\s"',*?!#]+/.source

/** An option that says when or for what a key counts. */
const option = /(?:namespaces|valid-after|valid-before)="[^\s"\\]*"/.source

/** A public key: its kind, and its bytes in base64. */
const publicKey = /(?:ssh-|ecdsa-|sk-)[a-z0-9@.-]+ [A-Za-z0-9+/]+=*/.source

/** A line of the file: a principal, options, the key, a comment. */
const line = new RegExp(
  `^(?<principal>${principal})(?: ${option}(?:,${option})*)? (?<key>${publicKey})(?: .*)?$`,
  'i',
)

/** A file of signers as ssh-keygen takes it, whatever its line ends were. */
interface CheckedSigners {
  readonly signers: string
  /** The person of a key: a text that all their names and keys share. */
  readonly personOf: (key: string) => string
}

/** Throws exit 2, naming the first line that is wrong. */
async function checkSigners(
  tools: SignTools,
  { path, text }: { readonly path: string; readonly text: string },
): Promise<CheckedSigners> {
  const content = text.replace(/^\ufeff/, '')
  const typed = content.split(/\r?\n/)
  const lines = typed.map((words) => words.replaceAll('\t', ' ').trim())
  const refuse = (at: number, problem: string): never => {
    throw new SvcError('config', `${path}, line ${at + 1}, ${problem}`, {
      hint: 'a line is a name, options (namespaces, valid-after, valid-before) if there are any, and a public key; no pattern, no authority',
    })
  }
  const entries: { at: number; principal: string; key: string }[] = []
  for (const [at, words] of lines.entries()) {
    const isComment = words.startsWith('#')
    if (words === '' || isComment) continue
    const parts = line.exec(words)
    const { principal: name, key } = parts?.groups ?? {}
    if (name === undefined || key === undefined) {
      return refuse(at, 'is not one plain principal with its key')
    }
    if (hasInvisible(name)) return refuse(at, 'has an invisible character in its name')
    entries.push({ at, principal: name, key })
  }
  const keys = entries.map(({ key }) => key)
  const sums = await fingerprints(tools, keys)
  const owners = entries.map((entry, n) => {
    const key = sums[n] ?? refuse(entry.at, 'has a key that ssh-keygen cannot read')
    return { principal: entry.principal, key }
  })
  return {
    signers: `${lines.join('\n')}\n`,
    personOf: personsOf(owners),
  }
}

/** Letter case and compatible forms of a character make no other name. */
const fold = (name: string): string =>
  name.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC')

/** From the key of a line to its person: the same text for all names and keys that are tied by any lines. */
export function personsOf(
  lines: Iterable<Pick<Signer, 'principal' | 'key'>>,
): (key: string) => string {
  /** From a name or a key to one that it is tied to; the last one of such a chain stands for the person. */
  const ties = new Map<string, string>()
  const rootOf = (mark: string): string => {
    let root = mark
    let next = ties.get(root)
    while (next !== undefined) {
      root = next
      next = ties.get(root)
    }
    return root
  }
  for (const { principal, key } of lines) {
    const name = rootOf(`name ${fold(principal)}`)
    const ofKey = rootOf(`key ${key}`)
    if (name !== ofKey) ties.set(name, ofKey)
  }
  return (key) => rootOf(`key ${key}`)
}
