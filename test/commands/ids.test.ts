/** Standard input that is nothing to read from, and many ids. All else of `svc ids …` is in test/transcripts/ids.txt. */
import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startSvc } from '../runs/spawned.ts'
import { manyIds } from '../input/inputs.ts'
import { createWorld, root } from '../svc.ts'

const world = createWorld()
const { folder, svc } = world

const [a, b, c] = [1, 2, 3].map((n) => `64f0a1b2c3d4e5f60000000${n}`) as [string, string, string]
const A = a.toUpperCase()

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const lines = file('lines.txt', `# mine\n${a}\n${b}\n\n${A}\n${c}\n`)

it('ids check takes more ids than a command sends', async () => {
  const line = `ids check ${file('many.txt', manyIds(1_000_001))} --json`
  // The built program takes half of the time.
  const { code, stdout } = await startSvc(line, { env: world.env }).ended
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ unique: 1_000_001 })])
})

describe('standard input that is nothing to read from, in a real process', () => {
  function withStdin(path: string, flags: string, ...words: string[]) {
    const stdin = openSync(path, flags)
    try {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [join(root, 'bin/svc.js'), ...words],
        {
          stdio: [stdin, 'pipe', 'pipe'],
          env: { ...world.env },
          encoding: 'utf8',
        },
      )
      return { code: status, stdout, stderr }
    } finally {
      closeSync(stdin)
    }
  }
  mkdirSync(join(folder, 'folder'), { recursive: true })

  it.each([['ids check -'], ['ids check - --allow-empty'], ['contacts delete --file - --dry-run']])(
    'a folder: svc %s',
    (line) => {
      const { code, stdout, stderr } = withStdin(join(folder, 'folder'), 'r', ...line.split(' '))
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/it is a folder/)
    },
  )

  it('a file that is open for writing only', () => {
    const { code, stdout, stderr } = withStdin(file('out.txt', ''), 'w', 'ids', 'check', '-')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('standard input cannot be read: it is not open for reading')
  })

  it('but /dev/null is an empty file, and a file is read', () => {
    const unique = (path: string): unknown =>
      JSON.parse(withStdin(path, 'r', 'ids', 'check', '-', '--json', '--allow-empty').stdout)
    expect(unique('/dev/null')).toMatchObject({ unique: 0 })
    expect(unique(lines)).toMatchObject({ unique: 3 })
  })
})

it('subtract leaves out what is in any of the other inputs', async () => {
  const all = manyIds(4)
  const [first = '', second = '', third = '', fourth = ''] = all.trim().split('\n')
  const [one, another] = [file('one.txt', `${first}\n`), file('another.txt', `${third}\n`)]
  const { stdout } = await svc(`ids subtract ${file('all.txt', all)} ${one} ${another}`)
  expect(stdout).toBe(`${second}\n${fourth}\n`)
})
