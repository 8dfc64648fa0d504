/** Standard input that is nothing to read from, and many ids. All else of `svc ids …` is in test/transcripts/ids.txt. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bin, startSvc } from '../runs/spawned.ts'
import { manyIds } from '../input/inputs.ts'
import { createWorld } from '../svc.ts'

const world = createWorld()
const { folder } = world

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

it('ids check takes more ids than a command sends', async () => {
  const line = `ids check ${file('many.txt', manyIds(1_000_001))} --json`
  // The built program takes half of the time.
  const { code, stdout } = await startSvc(line, { env: world.env }).ended
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ unique: 1_000_001 })])
})

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

  it.each([['ids check -'], ['ids check - --allow-empty'], ['contacts delete --file - --dry-run']])(
    'a folder: svc %s',
    (line) => {
      const { code, stdout, stderr } = withStdin(join(folder, 'folder'), 'r', line)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/it is a folder/)
    },
  )

  it('a file that is open for writing only', () => {
    const { code, stdout, stderr } = withStdin(file('out.txt', ''), 'w', 'ids check -')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('standard input cannot be read: it is not open for reading')
  })

  it('but /dev/null is an empty file, and a file is read', () => {
    const unique = (path: string): unknown =>
      JSON.parse(withStdin(path, 'r', 'ids check - --json --allow-empty').stdout)
    expect(unique('/dev/null')).toMatchObject({ unique: 0 })
    expect(unique(file('lines.txt', manyIds(3)))).toMatchObject({ unique: 3 })
  })
})
