/** Standard input that is nothing to read from. All else of inputs is in test/input/id-files.txt. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bin } from '../support/spawned.ts'
import { manyIds } from '../support/inputs.ts'
import { createWorld } from '../support/svc.ts'

const credentials = {
  SVC_BASE_URL: 'https://api.example.com',
  SVC_API_KEY: 'k',
  SVC_API_SECRET: 'a-secret-of-this-test',
}
const world = createWorld(credentials)
const { folder } = world

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('standard input that is nothing to read from, in a real process', () => {
  function withStdin(path: string, flags: string, line: string) {
    const stdin = openSync(path, flags)
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...line.split(' ')], {
      stdio: [stdin, 'pipe', 'pipe'],
      env: { ...world.env },
      encoding: 'utf8',
    })
    closeSync(stdin)
    return { code: status, stdout, stderr }
  }
  mkdirSync(join(folder, 'folder'), { recursive: true })

  it('a folder', () => {
    const { code, stdout, stderr } = withStdin(join(folder, 'folder'), 'r', 'contacts get -')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/it is a folder/)
  })

  it('a file that is open for writing only', () => {
    const { code, stdout, stderr } = withStdin(
      file('out.txt', ''),
      'w',
      'contacts delete - --dry-run',
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('standard input cannot be read: it is not open for reading')
  })

  it('but /dev/null is an empty file, and a file is read', () => {
    const input = (path: string): unknown =>
      JSON.parse(withStdin(path, 'r', 'contacts delete - --json --allow-empty --dry-run').stdout)
    expect(input('/dev/null')).toMatchObject({ input: { unique: 0 } })
    expect(input(file('lines.txt', manyIds(3)))).toMatchObject({ input: { unique: 3 } })
  })
})
