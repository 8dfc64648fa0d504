/** Errors of the system, each in words; the tests of what reads and writes have the files and folders that cannot be used. */
import { getSystemErrorMap } from 'node:util'
import { describe, expect, test } from 'vitest'
import { envFor } from './support/loopback.ts'
import { createWorld } from './support/svc.ts'
import { asSvcError, fileError, fileReason } from '../src/errors.ts'

describe('an error of the system', () => {
  const all = [...getSystemErrorMap().values()].map(([code, words]) => ({
    code,
    error: Object.assign(new Error(`${code}: ${words}, open '/some/file'`), {
      code,
      syscall: 'open',
      path: '/some/file',
    }),
  }))

  test.each(all)('$code has words, and the exit code of what it is about', ({ error }) => {
    const words = fileReason(error)
    expect(words).toMatch(/^[a-z][^:]{3,}$/)
    expect(words).not.toMatch(/\bE[A-Z]{2,}/)
    const message = `the record: ${words}`
    expect(fileError('local', 'the record', error)).toMatchObject({ exitCode: 1, message })
    expect(fileError('config', 'the record', error)).toMatchObject({ exitCode: 2, message })
    expect(asSvcError(error).headline).toMatch(/^\/some\/file cannot be used: /)
  })

  test('an unexpected error of the system is not a defect', async () => {
    const { svc } = createWorld({ TERM: 'xterm', ...envFor('http://127.0.0.1:9') })
    const { code, stderr } = await svc(`contacts delete ${'d'.repeat(24)}`, {
      terminal: () => {
        throw all.find(({ code }) => code === 'EIO')?.error ?? new Error('no such error')
      },
    })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('/some/file cannot be used: the disk reports an error'),
    ])
  })
})
