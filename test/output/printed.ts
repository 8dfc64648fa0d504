/** Prints into memory, and to streams. */
import type { Writable } from 'node:stream'
import { realHost } from '../host.ts'
import type { Output, PrintOptions, View } from '../../src/output/result.ts'
import { print } from '../../src/output/render.ts'
import { Redactor } from '../../src/redactor.ts'
import { Sink } from '../../src/output/sink.ts'
import { Collector } from '../svc.ts'

export const host = realHost

export const options: PrintOptions = {
  format: 'table',
  fields: undefined,
  neededFields: [],
  rowLimit: Infinity,
  order: undefined,
  color: false,
  width: undefined,
  now: Date.parse('2026-03-05T00:00:00Z'),
}

/** `tell` is given notes and warnings. */
export function streamsTo(stdout: Writable, tell: (what: unknown) => void) {
  const messages = { note: tell, warn: tell, redactor: new Redactor() }
  return { sink: new Sink(host, stdout), messages }
}

export function printTo<T>(
  stdout: Writable,
  output: Output<T>,
  view: View<T>,
  more: Partial<PrintOptions> & { tell?: (what: unknown) => void } = {},
): Promise<number> {
  const { tell = () => undefined, ...others } = more
  return print(output, view, { ...options, ...others }, streamsTo(stdout, tell))
}

export async function printed<T>(
  output: Output<T>,
  view: View<T>,
  more: Partial<PrintOptions> = {},
) {
  const stdout = new Collector()
  const [code, error] = await printTo(stdout, output, view, more).then(
    (ended) => [ended, undefined] as const,
    (failure: unknown) => [undefined, failure] as const,
  )
  return { code, stdout: stdout.text, error }
}
