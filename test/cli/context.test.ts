import { expect, test } from 'vitest'
import { Context } from '../../src/cli/context.ts'
import { Signals } from '../../src/cli/signals.ts'
import { plainPrint } from '../../src/output/result.ts'
import { messagesOf } from '../../src/program/report.ts'
import { realHost } from '../host.ts'

test('the work of the end is all done, the last first, and the first error is thrown after it', async () => {
  const line = { words: [], path: '', given: new Map(), options: {} }
  const context = new Context({
    host: realHost,
    messages: messagesOf(realHost, line),
    signals: new Signals(realHost),
    options: {},
    configuration: () => Promise.reject(new Error('not needed')),
    print: plainPrint,
    line,
  })
  const done: unknown[] = []
  for (const [step, ends] of [true, false, false, true].entries())
    context.atEnd((isPrinted) => {
      done.push(step, isPrinted)
      if (!ends) throw new Error(`step ${step} failed`)
      return Promise.resolve()
    })
  await expect(context.close(true)).rejects.toThrow('step 2 failed')
  expect(done).toEqual([3, true, 2, true, 1, true, 0, true])
})
