/**
 * A job: the items to send and what the command says about them. Its head is what the run file records of it. `typed.ts`
 * makes a job from typed words, `resume.ts` and `undo.ts` make one from a recorded run.
 */
import { createHash } from 'node:crypto'
import type { BulkOperation } from '../../api/operations.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import type { Host } from '../../host.ts'
import type { AnnotatedTable } from '../../input/annotated.ts'
import type { Items } from '../../input/items.ts'
import { keyFingerprint, type Head, type InputCounts, type Party } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'

/** Options of the commands that send in bulk. */
export interface BulkOptions {
  file: readonly string[]
  column?: string
  sheet?: string
  where?: readonly string[]
  except?: readonly string[]
  skipInvalid?: boolean
  allowEmpty?: boolean
  dryRun?: boolean
  who?: true
  expect?: number
  reason?: string
  once?: string
  newRun?: true
  accept?: readonly string[]
  receipts?: string
  annotate?: string
  concurrency?: number
}

export interface Job {
  operation: BulkOperation
  /** The list of an add, the new assignee of an assign. */
  target?: Party | undefined
  ifAssignee?: Party | undefined
  items: Items
  input: InputCounts
  options: Omit<BulkOptions, 'file'>
  /** The run that the job takes. Set for `--once`, an undo, and `runs resume`; any other run is named by its job. */
  run?: string | undefined
  /** `runs resume` names the run, so its key and its age do not matter. */
  isResumeCommand?: true
  undoes?: Head['undoes']
  /** Absolute path of the one file that the ids came from. */
  source?: string | undefined
  /** The table of `--annotate`, to write again with outcomes. */
  annotation?: AnnotatedTable | undefined
  /** A person chose the list or employee at the terminal, so it is asked about once. */
  isChosen?: boolean
}

/** The head of a new run. */
export function headOf(job: Job, profile: Profile, { computer, userId }: Host): Head {
  const { operation, target, ifAssignee, undoes, items, options, input, source } = job
  const { baseUrl, apiKey, name = null } = profile
  return {
    t: 'run',
    schema: 'svc.run/7',
    operation,
    baseUrl,
    target,
    ifAssignee,
    job: jobSha256(job, baseUrl),
    once: options.once ?? null,
    newRun: options.newRun,
    accept: [...new Set(options.accept)].sort(),
    undoes,
    profile: name,
    key: keyFingerprint(apiKey),
    keyEnding: keyEnding(apiKey),
    user: computer.userName ?? `uid ${userId ?? 'unknown'}`,
    reason: options.reason ?? null,
    input,
    source,
    count: items.size,
    most: operationOf(operation).most,
  }
}

/** Keys that are hashed in one call. A call for each would take several times as long. */
const keysPerUpdate = 4096

/** SHA-256, in hexadecimal, of what makes two jobs the same: not the key, and not the order of their ids. */
export function jobSha256(
  job: Pick<Job, 'operation' | 'target' | 'ifAssignee' | 'undoes' | 'items'>,
  baseUrl: string,
) {
  const { operation, target, ifAssignee, undoes, items } = job
  const parties = [target?.id, ifAssignee?.id, undoes?.session].map(
    (id) => id?.toLowerCase() ?? '',
  )
  const sum = createHash('sha256').update(
    `${[operation, baseUrl, ...parties].join('\n')}\n`,
  )
  const keys = items.keys()
  for (let from = 0; from < keys.length; from += keysPerUpdate)
    sum.update(`${keys.slice(from, from + keysPerUpdate).join('\n')}\n`)
  return sum.digest('hex')
}
