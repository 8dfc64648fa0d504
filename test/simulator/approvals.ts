/**
 * Plans under a policy that wants approvals: written by one person, approved by others, by one of them twice, by who may not, edited after
 * it, expired, applied before it is approved, and applied again.
 */
import { bulkOperations } from '../../src/api/operations.ts'
import { setSha256 } from '../../src/bulk/record/items.ts'
import { tableOf } from '../../src/plans/plan-file.ts'
import type { Dice } from './dice.ts'
import type { ApprovedPlan, Job } from './job.ts'
import {
  approversOf,
  author,
  keyNames,
  keyPath,
  sha256Of,
  signatureIn,
  signatureText,
  signersText,
} from './keygen.ts'
import { begin } from './later.ts'
import { editedText, judgeRefused } from './plans.ts'
import type { SimulatedProcess } from './process.ts'
import type { Stage } from './stage.ts'
import { typeMany } from './typed.ts'

const folder = '/etc/svc'

/** The file of a policy that wants so many approvals of everything. */
function policyOf({ world }: Stage, needed: number): string {
  const [signers, path] = [`${folder}/signers`, `${folder}/policy-${needed}.json`]
  const approvals = Object.fromEntries(bulkOperations.map((name) => [name, needed]))
  const policies = { 'https://api.example.com': { approvals, signers } }
  world.disk.put(signers, signersText, 0o600)
  world.disk.put(path, JSON.stringify({ schema: 'svc.policy/1', policies }), 0o600)
  return path
}

const codeOf = ({ end }: SimulatedProcess): number | undefined =>
  end === 'killed' ? undefined : end?.code

/** A plan file with what is to be done with it. */
interface Planned {
  readonly path: string
  readonly text: string
  readonly count: number
  readonly plan: ApprovedPlan
  readonly job: Job
}

/** Files of signatures beside a plan, by their endings. */
function signaturesOf({ world: { disk } }: Stage, path: string): Map<string, string> {
  const folder = path.slice(0, path.lastIndexOf('/'))
  const beside = disk
    .tree(folder)
    .filter((file) => file.startsWith(`${path}.`) && file.endsWith('.sig'))
  return new Map(
    beside.map((file) => [file.slice(path.length), disk.readFile(file)?.toString() ?? '']),
  )
}

/** The persons whose approvals lie beside the plan. */
const approversBeside = (stage: Stage, { path, plan }: Planned): number =>
  approversOf(
    plan.sha256,
    [...signaturesOf(stage, path).values()].flatMap((text) => signatureIn(text) ?? []),
  )

/** A copy of a plan, or of another text in its place, with all its signatures. */
function copyOf(stage: Stage, { path }: Planned, text: string): string {
  const copy = stage.text(text, 'plan')
  for (const [ending, signature] of signaturesOf(stage, path))
    stage.world.disk.put(`${copy}${ending}`, signature, 0o600)
  return copy
}

/** It is applied, by the same command or as a copy; approvals that are there are found. */
async function apply(stage: Stage, dice: Dice, planned: Planned): Promise<void> {
  const { job, path, text, plan } = planned
  const isCopy = dice.chance(0.2)
  const place = isCopy ? copyOf(stage, planned, text) : path
  const words = job.words.map((word) => (word === path ? place : word))
  const isApproved = approversBeside(stage, planned) >= plan.needed
  const number = stage.world.processes.length
  if (stage.jobs.includes(job)) await stage.disturbed(dice, words, { job })
  else await begin(stage, dice, job)
  const process = stage.world.processes[number]
  if (process === undefined) return
  // A 403 of the service is exit 5 too.
  const isRefused =
    codeOf(process) === 5 && !stage.world.service.log.some((sent) => sent.process === process)
  stage.judge.expect(!isRefused || !isApproved, process, 'exit 5 for a plan that is approved')
}

/** A person signs it, after typing how many it is about, or another number. */
async function approve(stage: Stage, dice: Dice, { path, count, plan }: Planned): Promise<void> {
  const { judge, world } = stage
  const key = dice.pick(keyNames)
  const isSlip = dice.chance(0.1)
  const before = signaturesOf(stage, path)
  const process = await stage.disturbed(dice, ['plans', 'approve', path, '--key', keyPath(key)], {
    policy: plan.policy,
    typed: String(isSlip ? count + 1 : count),
    machine: dice.pick(world.machines),
  })
  const sent = world.service.log.filter((request) => request.process === process)
  judge.expect(sent.length === 0, process, `plans approve sent ${sent.length} requests`)
  const isAgain = [...before.values()].some((text) => {
    const made = signatureIn(text)
    return made?.key === key && made.namespace === 'svc-plan' && made.sha256 === plan.sha256
  })
  const isSigned = [...signaturesOf(stage, path)].some(([ending]) => !before.has(ending))
  const code = codeOf(process)
  judge.expect(
    !isSigned || !(isSlip || isAgain || key === author),
    process,
    `${key} has signed ${count}${isSlip ? ' after another number' : ''}${isAgain ? ' again' : ''}`,
  )
  const isRight = code === 0 ? isSigned : !isSigned || process.isDisturbed
  judge.expect(code === undefined || isRight, process, `exit ${code}, signed: ${isSigned}`)
}

/** A person changes the plan and leaves its signatures beside it. */
async function applyAltered(stage: Stage, dice: Dice, planned: Planned): Promise<void> {
  const found = editedText(planned.text, dice, wholeEdits)
  if (found === undefined) return
  const path = copyOf(stage, planned, found.edited)
  const words = ['plans', 'apply', path, '--yes', '--json']
  const process = await stage.run(words, { policy: planned.plan.policy })
  judgeRefused(stage, process, `an approved plan with ${found.name}`, [5, 6, 10])
}

type Document = Readonly<Record<'ids' | 'sha256' | 'reason' | 'expiresAt', unknown>>

const changed =
  (change: (document: Document, dice: Dice) => Partial<Document>) =>
  (text: string, dice: Dice): string => {
    const document = JSON.parse(text) as Document
    return JSON.stringify({ ...document, ...change(document, dice) })
  }

/** Changes after which it is a whole plan, as svc writes one. */
const wholeEdits = {
  'another id and its checksum': changed(({ ids }, dice) => {
    if (!Array.isArray(ids)) return { reason: 'another one' }
    const others = [dice.hex(24), ...(ids as string[]).slice(1)]
    return { ids: others, sha256: setSha256(tableOf(others)) }
  }),
  'another reason': changed(() => ({ reason: 'another one' })),
  'a later end': changed(() => ({ expiresAt: '2027-01-01T00:00:00.000Z' })),
}

const acts: Readonly<Record<string, typeof apply>> = {
  apply,
  approve,
  altered: applyAltered,
  /** A signature that somebody who counts made for another purpose, or of something else, is laid beside it. */
  foreign(stage, dice, { path, text }) {
    const [namespace, bytes] = dice.pick([
      ['svc-evidence', text],
      ['svc-plan', `${text}\n`],
      ['git', text],
    ] as const)
    const signature = { key: dice.pick(['ben', 'cleo']), namespace, sha256: sha256Of(bytes) }
    stage.world.disk.put(`${path}.${dice.hex(16)}.sig`, signatureText(signature), 0o600)
    return Promise.resolve()
  },
  rest: ({ world }, dice) => world.clock.sleep(dice.skewed(1000, 2 * 3_600_000)),
}

const weights = { apply: 5, approve: 7, altered: 3, foreign: 1, rest: 1 }

/** Lives of plans, in words of `--expires` and in milliseconds. */
const lives = { '10m': 600_000, '2h': 7_200_000, '72h': 259_200_000 } as const

/** `options`: any of a bulk command. */
export async function approvals(
  stage: Stage,
  dice: Dice,
  options: readonly string[],
): Promise<void> {
  const { words, ...typed } = typeMany(stage, dice, dice.pick(bulkOperations))
  const path = stage.place('plan')
  const needed = dice.whole(1, 2)
  const policy = policyOf(stage, needed)
  const life = dice.pick(Object.keys(lives))
  const written = ['--plan', path, '--key', keyPath(author), '--expires', life]
  await stage.disturbed(dice, [...words, ...written], { policy })
  const text = stage.world.disk.readFile(path)?.toString()
  if (text === undefined) return
  const { input, expiresAt } = JSON.parse(text) as {
    readonly input: { readonly unique: number }
    readonly expiresAt: string
  }
  const plan = { sha256: sha256Of(text), expiresAt: Date.parse(expiresAt), needed, policy }
  const job: Job = { ...typed, name: undefined, words: ['plans', 'apply', path, ...options], plan }
  const planned = { path, text, count: input.unique, plan, job }
  for (let times = dice.whole(3, 10); times > 0; times -= 1)
    await acts[dice.weighted(weights)]?.(stage, dice.fork(), planned)
}
