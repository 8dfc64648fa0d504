/** Lines of `-vv`: what is secret is hidden in them wherever it stands. */
import { expect, test } from 'vitest'
import { traceAttempt } from '../../src/http/trace.ts'
import { Redactor } from '../../src/redactor.ts'

const secret = 'sk_live_0123456789abcdef'

/** The trace of `-vv` for a request with this body. */
function linesOf(body: string): string[] {
  const lines: string[] = []
  const options = {
    verbose: 2,
    log: (level: 1 | 2, line: string) => void (level === 2 && lines.push(line)),
  }
  traceAttempt(options, {
    method: 'POST',
    path: '/v1/lists',
    headers: {},
    body: Buffer.from(body),
    exchange: { kind: 'failed', sent: false, error: new Error('x') },
    result: { kind: 'never-sent', message: 'x', systemCode: undefined },
    ms: 1,
    attempt: 1,
    batch: undefined,
    hide: new Redactor().redactorOf([secret]),
  })
  return lines
}

test('a secret across the place where a body is cut is hidden whole', () => {
  const [line = ''] = linesOf(`${'a'.repeat(1990)}${secret}${'b'.repeat(100)}`)
  expect(line).toMatch(/a\[hidden\]…? ?/)
  expect(line).not.toContain('sk_l')
})

test('the longer of two secrets that begin alike is hidden whole', () => {
  expect(new Redactor().redactorOf([secret, `${secret}-more`])(`x ${secret}-more y`)).toBe(
    'x [hidden] y',
  )
})
