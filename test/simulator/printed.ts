/** The documents that processes print. */
import type { SimulatedProcess } from './process.ts'

export interface Summary {
  readonly run: string | null
  /** By the clock of the process that ended it, as an ISO 8601 date-time. */
  readonly endedAt: string | null
  readonly status: string
  readonly stopReason: string | null
  readonly result: Readonly<Record<string, number>>
  readonly input: { readonly unique: number; readonly leftOut?: number }
  readonly batches: Readonly<Record<'total' | 'done' | 'failed' | 'retried', number>>
  readonly errors: readonly ErrorRow[]
  readonly errorsTotal: number
  readonly goneIds?: readonly string[] | null
  readonly exitCode: number
  readonly resume: string | null
  readonly left: number
  /** Whether the same command may end better. */
  readonly retry: boolean
}

interface ErrorRow {
  readonly batch: number
  readonly outcome: string
  readonly httpStatus: number | null
  readonly message: string
  readonly count: number
}

export type Shown = Pick<Summary, 'result' | 'exitCode' | 'status'>
export type Listed = Shown & { readonly run: string }
export type Checked = { readonly name: string; readonly exitCode: number }

export interface Receipt {
  readonly id: string
  readonly outcome: string
  /** A file of receipts may lack them. */
  readonly batch?: number
  readonly attempts?: number
}

/** The summary at the end of a bulk command. */
export function summaryOf({ stdout, stderr, argv }: SimulatedProcess): Summary | undefined {
  const text = argv.includes('--json') ? stdout : stderr.trimEnd().split('\n').at(-1)
  const found = parsed(text ?? '') as (Summary & { readonly schema?: string }) | undefined
  return found?.schema === 'svc.bulk/1' ? found : undefined
}

export const isReceipt = (line: unknown): line is Receipt =>
  typeof line === 'object' && line !== null && 'outcome' in line && 'id' in line

/** The document that a text is; undefined for a text that is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The documents of a text's whole lines. */
export function linesOf(text: string): unknown[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(parsed)
}
