/** Lines of run files for tests: each session writes with the next number, unless a test says otherwise. */
import { encodeLine, type Head, type Line, type NewLine } from '../../src/runs/lines.ts'
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
  reason: null,
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
