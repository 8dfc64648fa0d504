/** Where examples are played: a sandbox, a folder, svc, a shell. Time stands still. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Block } from '../pages.ts'
import { bin } from '../spawned.ts'
import { createSandboxWorld, type Options, type Result, type SandboxWorld } from '../svc.ts'

const chance = 0x7f3a / 0x1_0000
/** The end of each run's name. The names of two runs differ by their time. */
const nameEnding = Buffer.from('3f9a', 'hex')
const clock = `--require "${fileURLToPath(new URL('clock.cjs', import.meta.url))}"`
/** The `svc` of shells. A script can give the commands inside `svc sandbox exec` the real clock. */
const shim = `#!/bin/sh
[ "$1" = sandbox ] || export NODE_OPTIONS='${clock}'
exec "${process.execPath}" "${bin}" "$@"
`

export async function openDesk(
  files: readonly Block[] = [],
  program?: Options['program'],
): Promise<Desk> {
  const time = { now: Date.UTC(2026, 2, 2, 12) }
  const world = await createSandboxWorld({ now: () => time.now })
  for (const { file, code, language } of files)
    if (file !== undefined && language !== 'console')
      writeFileSync(join(world.folder, file), code, { mode: 0o600 })
  return new Desk(world, time, program)
}

export class Desk {
  readonly world: SandboxWorld
  readonly #time: { now: number }
  readonly #program: Options['program']

  constructor(world: SandboxWorld, time: { now: number }, program: Options['program']) {
    this.world = world
    this.#time = time
    this.#program = program
    mkdirSync(join(world.folder, 'bin'), { mode: 0o700 })
    writeFileSync(join(world.folder, 'bin/svc'), shim, { mode: 0o755 })
  }

  wait(ms: number): number {
    return (this.#time.now += ms)
  }

  /** A command of svc, a minute after the one before. */
  async svc(line: string, options: Options = {}): ReturnType<SandboxWorld['requestsOf']> {
    this.#time.now += 60_000
    const here = process.cwd()
    // Commands name files as they do in the example.
    process.chdir(this.world.folder)
    try {
      return await this.world.requestsOf(line, {
        now: this.#time.now,
        random: () => chance,
        randomBytes: (size) => (size === nameEnding.length ? nameEnding : randomBytes(size)),
        by: { userName: 'ana', hostname: 'desk' },
        fast: true,
        ...(this.#program === undefined ? {} : { program: this.#program }),
        ...options,
      })
    } finally {
      process.chdir(here)
    }
  }

  /** A script for sh, in which `svc` is the build, with the time and chance of this desk. */
  readonly sh = (script: string): Promise<Result> => {
    const { env, folder } = this.world
    const NOW = String((this.#time.now += 60_000))
    const given = {
      PATH: `${join(folder, 'bin')}:${env['PATH'] ?? ''}`,
      NODE_OPTIONS: clock,
      NOW,
    }
    const running = promisify(execFile)('sh', ['-c', script], {
      cwd: folder,
      env: { ...env, ...given },
    })
    running.child.stdin?.end()
    return running.then(
      (output) => ({ code: 0, ...output }),
      (error: Error & Result) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    )
  }

  /** A string without what is another on each machine. */
  clean(text: string): string {
    return text
      .replaceAll(this.world.folder, '$HOME')
      .replaceAll(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:4010')
      .replaceAll(/( by\S* +|"by": ?")[\w.-]+@[\w.-]+/g, '$1ana@desk')
      .replaceAll(/\b\d+ ms\b/g, '12 ms')
      .replaceAll(process.versions.node, '24.0.0')
  }
}
