import { getSystemErrorMap } from 'node:util'
import { expect, test } from 'vitest'
import { asSvcError, fileError, fileReason } from '../src/errors.ts'

test('errors of the system are reported in words, and not as a bug', () => {
  for (const [code, words] of getSystemErrorMap().values()) {
    const message = `${code}: ${words}, open '/some/file'`
    const error = Object.assign(new Error(message), { code, syscall: 'open' })
    expect(fileReason(error)).toBe(words)
    const told = { message: `the record: ${words}` }
    expect(fileError('failed', 'the record', error)).toMatchObject({ exitCode: 1, ...told })
    expect(fileError('usage', 'the record', error)).toMatchObject({ exitCode: 2, ...told })
    const unforeseen = { message: `a file could not be used: ${words}` }
    expect(asSvcError(error)).toMatchObject({ exitCode: 1, ...unforeseen })
  }
})
