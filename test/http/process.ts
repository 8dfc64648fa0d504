/** svc as a process of its own, from the sources as they are: for what only a process shows. */
import { buildSync } from 'esbuild'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ownFolder } from '../ending.ts'

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** Milliseconds between the end of the program and that of its process: what a forgotten handle would add. */
  readonly lingered: number
  /** Milliseconds that the program took, without the start of its process. */
  readonly took: number
  /** The most memory it had, in MiB. */
  readonly peak: number
}

export type RunProcess = (words: string, env: Readonly<Record<string, string>>) => Promise<Ended>

const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)))

const program = `
import { main } from ${source('main.ts')}
import { nodeHost } from ${source('host.ts')}
const host = nodeHost(process)
const began = performance.now()
process.exitCode = await main(host)
const ended = performance.now()
process.on('exit', () => {
  const { maxRSS } = process.resourceUsage()
  process.stderr.write('\\nENDED ' + JSON.stringify({ took: ended - began, lingered: performance.now() - ended, peak: maxRSS / 1024 }))
})
`

/** Builds the program once; everything is removed after the test file. */
export function buildProgram(): RunProcess {
  const folder = ownFolder('process')
  buildSync({
    stdin: { contents: program, resolveDir: fileURLToPath(new URL('../..', import.meta.url)) },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile: join(folder, 'svc.mjs'),
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return async (words, env) => {
    const child = spawn(process.execPath, [join(folder, 'svc.mjs'), ...words.split(' ')], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        TZ: 'UTC',
        SVC_API_KEY: 'pk_0123456789',
        SVC_API_SECRET: 'a-secret-of-this-test',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const [stderr = '', figures = '{}'] = Buffer.concat(err).toString().split('\nENDED ')
    const { took = NaN, lingered = NaN, peak = NaN } = JSON.parse(figures) as Partial<Ended>
    return { code, stdout: Buffer.concat(out).toString(), stderr, took, lingered, peak }
  }
}
