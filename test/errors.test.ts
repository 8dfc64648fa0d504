/** Errors of the system, each in words; the tests of what reads and writes have the files and folders that cannot be used. */
import { getSystemErrorMap } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createWorld } from './svc.ts'
import { fileError, fileHeadline, fileReason } from '../src/system-errors.ts'

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
    expect(fileError('local', 'the journal', error)).toMatchObject({
      exitCode: 1,
      message: `the journal: ${words}`,
    })
    expect(fileError('usage', 'the input', error)).toMatchObject({ exitCode: 2, category: 'usage' })
    expect(fileError('config', 'the file', error)).toMatchObject({
      exitCode: 2,
      category: 'config',
    })
    expect(fileHeadline(error)).toBe('/some/file cannot be used')
  })

  test('an error of a write names no file, but counts as one of a file', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
      code: 'ENOSPC',
      syscall: 'write',
    })
    expect(fileHeadline(full)).toBe('a file could not be used')
    const reset = Object.assign(new Error('read ECONNRESET'), {
      code: 'ECONNRESET',
      syscall: 'read',
    })
    expect([reset, new Error('x'), 'x'].map(fileHeadline)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  test('an unexpected error of the system is not a defect', async () => {
    const { svc } = createWorld({
      TERM: 'xterm',
      SVC_BASE_URL: 'http://127.0.0.1:9',
      SVC_API_KEY: 'k',
      SVC_API_SECRET: 'sk_0123456789',
    })
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
