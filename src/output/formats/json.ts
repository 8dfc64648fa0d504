/** The format json: rows as one document. */
import type { JsonWriter } from '../json.ts'
import type { Ending, Rows } from '../result.ts'
import type { Sink } from '../sink.ts'
import type { RowSource } from '../source.ts'

/** An array, or an object around it. When the rows stop early it stays open, so that nothing takes it for whole. */
export async function printJsonRows<T>(
  source: RowSource<T>,
  { frame, project }: { frame: Rows<T>['frame'] | undefined; project: (row: T) => unknown },
  json: JsonWriter,
  sink: Sink,
): Promise<void> {
  const margin = frame === undefined ? '  ' : '    '
  let count = 0

  const open = (): string => {
    if (frame === undefined) return '['
    const before = members(frame.before, json).map((member) => `${member},\n`)
    return `{\n${before.join('')}  ${json.text(frame.key)}: [`
  }
  const close = ({ cursor }: Ending): string => {
    const end = count === 0 ? ']' : `\n${margin.slice(2)}]`
    if (frame === undefined) return `${end}\n`
    const after = members({ [frame.cursor]: cursor }, json)
    return `${[end, ...after].join(',\n')}\n}\n`
  }

  for await (const row of source) {
    const before = count === 0 ? `${open()}\n` : ',\n'
    count += 1
    const text = json.text(project(row), 2, margin)
    const wait = sink.write(before + margin + text)
    if (wait !== undefined) await wait
  }
  const start = count === 0 ? open() : ''
  await sink.write(start + close(source.ending))
}

function members(values: Readonly<Record<string, unknown>>, json: JsonWriter): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return []
    return `  ${json.text(key)}: ${json.text(value, 2, '  ')}`
  })
}
