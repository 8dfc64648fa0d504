/**
 * A job: the items to send, and what the command says about them. A run file records it as the head of its run. `typed.ts`
 * makes a job from a command line; `resume.ts` and `undo.ts` make one from a recorded run.
 */
import { createHash } from 'node:crypto'
import type { BulkOperation } from '../../api/operations.ts'
import { keyEnding, type Profile } from '../../config/profile.ts'
import type { Host } from '../../host.ts'
import type { TableCopy } from '../../input/table-copy.ts'
import type { Items } from '../../input/items.ts'
import { keyFingerprint, type Head, type InputCounts, type Party } from '../lines.ts'
import { operationOf } from '../operations/operations.ts'

/** The options of the commands that send in bulk, under the names that they have on the command line. */
export interface BulkOptions {
  file?: string
  column?: string
  sheet?: string
  where?: readonly string[]
  except?: string
  headingRow?: number
  allowEmpty?: boolean
  dryRun?: boolean
  /** How many unique ids the input must have. */
  expect?: number
  /** The name of a run that is never begun twice. */
  once?: string
  newRun?: true
  /** The outcomes that count as done. */
  accept?: readonly string[]
  /** The path of a file for the receipts. */
  receipts?: string
  /** The path of a file for the input with its outcomes. */
  annotate?: string
  concurrency?: number
}

/** The change that a job makes. Two commands with the same change on the same service do the same job: its SHA-256 is equal. */
export interface Change {
  operation: BulkOperation
  items: Items
  /** The list of an add, or the one new assignee of all tickets. Pairs have theirs in `items`. */
  target?: Party | undefined
  /** The assignee that a ticket must have to be changed. */
  ifAssignee?: Party | undefined
  /** Set in an undo: the run whose tickets are given back, and the session that began it. */
  undoes?: Head['undoes']
}

/** The copy of a table that gets outcomes, with the path of its file. */
export interface AnnotatedInput {
  path: string
  copy: TableCopy
}

export interface Job extends Change {
  input: InputCounts
  options: Omit<BulkOptions, 'file'>
  /** The run of the job, for `--once`, an undo and `runs resume`. Undefined for any other job: its run is chosen by its SHA-256. */
  run?: string | undefined
  /** Whether `runs resume` named the run. It may then be older than 8 hours, or have begun with another API key. */
  isResumeCommand?: true
  /** The absolute path of the file, if all ids come from one file. */
  source?: string | undefined
  /** The input, which `--annotate` writes again with outcomes. */
  annotation?: AnnotatedInput | undefined
}

/** Returns the head of a new run. */
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
    input,
    source,
    count: items.size,
    most: operationOf(operation).maxPerRequest,
  }
}

/** Lines that are hashed in one call. A call for each would take several times as long. */
const linesPerUpdate = 4096

/**
 * Returns the SHA-256 of a job, in hexadecimal: of its change and its service. The order of the ids, letter case, the API key
 * and all else of a job do not matter.
 */
export function jobSha256(change: Change, baseUrl: string) {
  const { operation, target, ifAssignee, undoes, items } = change
  const others = [target?.id, ifAssignee?.id, undoes?.session]
  const identifiers = others.map((id) => id?.toLowerCase() ?? '')
  const lines = [operation, baseUrl, ...identifiers]
  const hash = createHash('sha256').update(`${lines.join('\n')}\n`)
  const keys = items.sortedKeys()
  for (let from = 0; from < keys.length; from += linesPerUpdate)
    hash.update(`${keys.slice(from, from + linesPerUpdate).join('\n')}\n`)
  return hash.digest('hex')
}
