/** Prints into memory. */
import { Writable } from 'node:stream'
import { nodeHost } from '../../src/host.ts'
import type { Output, PrintOptions, View } from '../../src/output/result.ts'
import { print } from '../../src/output/render.ts'
import { StreamSink } from '../../src/output/sink.ts'

export const host = nodeHost(process)

export const options: PrintOptions = {
  format: 'table',
  fields: undefined,
  shown: [],
  rowLimit: Infinity,
  order: undefined,
  header: true,
  csvRaw: false,
  truncate: true,
  utc: true,
  color: 0,
  width: undefined,
  now: Date.parse('2026-03-05T00:00:00Z'),
}

export interface Printed {
  code: number | undefined
  stdout: string
  notes: string[]
  summaries: unknown[]
  error: unknown
}

export async function printed<T>(output: Output<T>, view: View<T>, more: Partial<PrintOptions> = {}): Promise<Printed> {
  const result: Printed = { code: undefined, stdout: '', notes: [], summaries: [], error: undefined }
  const stdout = new Writable({
    write(chunk: Buffer, _encoding, callback) {
      result.stdout += chunk.toString()
      callback()
    },
  })
  try {
    result.code = await print(
      output,
      view,
      { ...options, ...more },
      {
        host,
        sink: new StreamSink(host, stdout),
        note: (text) => result.notes.push(text),
        summary: (document) => result.summaries.push(document),
      },
    )
  } catch (error) {
    result.error = error
  }
  return result
}
