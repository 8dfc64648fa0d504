/** Where examples are played: a sandbox of its own, a folder, commands of svc in this process, and a shell for all else. Time and chance stand still. */
import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { keygenIn } from '../plans/plan-world.ts'
import { createSandboxWorld, root, type Options, type SandboxWorld } from '../svc.ts'

export interface Ending {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A block of a page that is a file. */
interface File {
  readonly file: string | undefined
  readonly code: string
}

const chance = 0x7f3a / 0x1_0000
const clock = fileURLToPath(new URL('clock.cjs', import.meta.url))

export async function openDesk(files: readonly File[] = [], faults?: string): Promise<Desk> {
  const time = { now: Date.UTC(2026, 2, 2, 12) }
  const world = await createSandboxWorld({ now: () => time.now, ...(faults === undefined ? {} : { faults }) })
  for (const { file, code } of files)
    if (file !== undefined) writeFileSync(join(world.folder, file), code, { mode: 0o600 })
  return new Desk(world, time)
}

export class Desk {
  readonly world: SandboxWorld
  readonly #time: { now: number }

  constructor(world: SandboxWorld, time: { now: number }) {
    this.world = world
    this.#time = time
    const bin = join(world.folder, 'bin')
    mkdirSync(bin, { mode: 0o700 })
    writeFileSync(join(bin, 'svc'), `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'bin/svc.js')}" "$@"\n`)
    chmodSync(join(bin, 'svc'), 0o755)
    // Not every machine has OpenSSH.
    keygenIn(bin)
    copyFileSync(join(root, 'test/ids/fixtures/customers.xlsx'), join(world.folder, 'customers.xlsx'))
  }

  /** A command of svc, a minute after the one before. */
  async svc(line: string, options: Options = {}): ReturnType<SandboxWorld['requestsOf']> {
    const here = process.cwd()
    // Commands name files as they do in the example.
    process.chdir(this.world.folder)
    try {
      const now = (this.#time.now += 60_000)
      return await this.world.requestsOf(line, { now, random: () => chance, fast: true, ...options })
    } finally {
      process.chdir(here)
    }
  }

  /** A script for sh, in which `svc` is the real program. */
  readonly sh = (script: string): Promise<Ending> => {
    const { env, folder } = this.world
    const NOW = String((this.#time.now += 60_000))
    const given = { PATH: `${join(folder, 'bin')}:${env['PATH'] ?? ''}`, NODE_OPTIONS: `--require "${clock}"`, NOW }
    return promisify(execFile)('sh', ['-c', script], { cwd: folder, env: { ...env, ...given } }).then(
      (output) => ({ code: 0, ...output }),
      (error: Error & Ending) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    )
  }

  /** A text without what is another on each machine. */
  clean(text: string): string {
    return text
      .replaceAll(this.world.folder, '$HOME')
      .replaceAll(/127\.0\.0\.1:\d{4,5}/g, '127.0.0.1:4010')
      .replaceAll(/( by\S* +|"by": ?")[\w.-]+@[\w.-]+/g, '$1ana@desk')
      .replaceAll(/(Signed by.*\n.*SHA-256\S* +)[0-9a-f]{64}/g, '$1<sha256>')
      .replaceAll(/("durationMs": ?|DURATION +)[\d.]+/g, '$112')
      .replaceAll(/\b\d+ ms\b/g, '12 ms')
  }
}
