/** Every error of the system that Node knows, in words. If red, a message has a code of the system, or takes such an error for a defect of svc. */
import { getSystemErrorMap } from 'node:util'
import { expect, test } from 'vitest'
import { envFor } from './support/loopback.ts'
import { createWorld } from './support/svc.ts'
import { asSvcError, fileError, fileReason } from '../src/errors.ts'

const path = '/some/file'
const systemErrors = [...getSystemErrorMap().values()].map(([code, words]) => ({
  code,
  error: Object.assign(new Error(`${code}: ${words}, open '${path}'`), {
    code,
    syscall: 'open',
    path,
  }),
}))

test.each(systemErrors)('$code is told in words that do not name it', ({ error }) => {
  const words = fileReason(error)
  expect(words).toMatch(/^[a-z][^:]{3,}$/)
  expect(words).not.toMatch(/\bE[A-Z]{2,}/)
  const message = `the record: ${words}`
  expect(fileError('failed', 'the record', error)).toMatchObject({ exitCode: 1, message })
  expect(fileError('usage', 'the record', error)).toMatchObject({ exitCode: 2, message })
  expect(asSvcError(error).headline).toMatch(/^\/some\/file cannot be used: /)
})

test('EIO from the terminal is told as a disk error, not as a defect of svc', async () => {
  const { svc } = createWorld({ TERM: 'xterm', ...envFor('http://127.0.0.1:9') })
  const { code, stderr } = await svc(`contacts delete ${'d'.repeat(24)}`, {
    terminal: () => {
      throw systemErrors.find((each) => each.code === 'EIO')?.error ?? new Error('no EIO')
    },
  })
  expect(code).toBe(1)
  expect(stderr).toContain(`${path} cannot be used: the disk reports an error`)
})
