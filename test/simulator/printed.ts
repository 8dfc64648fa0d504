/** The documents that processes print. */
import type { SummaryDocument } from '../../src/runs/summary.ts'
import type { SimulatedProcess } from './process.ts'

/** How a run ended, with the figures of its operation. A row of `runs list` has more statuses than a summary. */
export interface Shown {
  readonly result: Readonly<Record<string, number>>
  readonly exitCode: number
  readonly status: string
}
export type Listed = Shown & { readonly run: string }
export type Summary = Omit<SummaryDocument, 'result'> & Pick<Shown, 'result'>
export interface Checked {
  readonly name: string
  readonly exitCode: number
}

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
  const found = parsed(text ?? '') as Summary | undefined
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
