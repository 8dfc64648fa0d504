/** Lines of run files for tests: each session writes with the next number, unless a test says otherwise. */
import { encodeLine, type Head, type Line, type NewLine, type Range } from '../../src/runs/lines.ts'
import { RunLog } from '../../src/runs/log.ts'

export const idOf = (n: number) => n.toString(16).padStart(24, '0')
export const list = { id: idOf(0xb1), name: 'VIP' }
export const ada = { id: idOf(0xa1), name: 'Ada Byron' }
export const robin = { id: idOf(0xa2), name: 'Robin Berg' }

const common = {
  t: 'run',
  schema: 'svc.run/7',
  baseUrl: 'https://api.example.com',
  job: '0'.repeat(64),
  once: null,
  accept: [],
  profile: 'prod',
  key: '0123456789abcdef',
  keyEnding: '6789',
  user: 'ana',
} as const

/** The lines of a head of so many ids, from 1 on. `others`: second parties. */
export function head(
  operation: Head['operation'],
  count: number,
  more: Partial<Head> = {},
  others?: readonly string[],
): NewLine[] {
  const most = operation === 'contacts.merge' || operation === 'tickets.assign' ? 1 : 100
  const input = { read: count, unique: count, duplicates: 0, invalid: 0, leftOut: 0 }
  const ids = Array.from({ length: count }, (_, n) => {
    const other = others?.[n]
    return other === undefined
      ? ([idOf(n + 1), n + 1] as const)
      : ([idOf(n + 1), n + 1, other] as const)
  })
  return [{ ...common, operation, input, count, most, ...more } as NewLine, { t: 'ids', ids }]
}

export const session = (host = 'desk'): NewLine => ({ t: 'session', pid: 1, host })

/** Lines with a session and numbers from `from` on. */
export function stamped(s: string, from: number, lines: readonly NewLine[]): Line[] {
  return lines.map((line, i): Line => ({
    n: from + i,
    s: s.repeat(8),
    at: 1000 + from + i,
    ...line,
  }))
}

/** A run that session `a` wrote from its first line on. */
export function logWith(...lines: readonly NewLine[]): RunLog {
  return logOf(stamped('a', 0, [session(), ...lines]))
}

export function logOf(lines: readonly Line[]): RunLog {
  const log = new RunLog('run')
  for (const line of lines) log.apply(line)
  return log
}

export const textOf = (lines: readonly Line[]) =>
  lines.map((line) => `\n${encodeLine(line)}`).join('')

export type Step =
  'try' | 'skip' | 'never' | 'lost' | 'odd' | number | { read: string | null | number } | object

/** The lines of a request from steps: an attempt (or one that left no line), its end, a status that refuses, a reading, or the data of an answer. */
export function linesOf(steps: readonly Step[], b: Range): NewLine[] {
  let a = 0
  return steps.flatMap((step): NewLine | NewLine[] => {
    if (step === 'try' || step === 'skip') a += 1
    if (step === 'skip') return []
    if (step === 'try') return { t: 'try', b, a }
    if (step === 'never') return { t: 'res', b, a, k: 'never-sent', m: 'refused' }
    if (step === 'lost') return { t: 'res', b, a, k: 'ambiguous', m: 'reset' }
    if (step === 'odd') return { t: 'res', b, a, k: 'ambiguous', st: 200, m: 'nonsense', odd: true }
    if (typeof step === 'number') return { t: 'res', b, a, k: 'refused', st: step, m: 'no' }
    if (typeof step === 'object' && 'read' in step)
      return typeof step.read === 'number'
        ? { t: 'read', b, st: step.read }
        : { t: 'read', b, id: step.read }
    return { t: 'res', b, a, k: 'answered', st: 200, d: step }
  })
}
