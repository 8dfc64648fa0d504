/** The world of a command that runs inside a sandbox: its environment, its folder, and a `svc` that is this program. */
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { Host } from '../../host.ts'
import { shellWord } from '../../words.ts'
import type { Sandbox } from '../../sandbox/transport.ts'

/** Variables that would lead svc elsewhere. */
export const unsetVariables = ['SVC_PROFILE', 'SVC_API_SECRET_FILE', 'SVC_CONFIG', 'SVC_STATE_DIR'] as const

export interface Surroundings {
  /** Configuration and state lie in it; nobody else can read it. */
  readonly folder: string
  /** Where this `svc` is, for the search path. */
  readonly bin: string
  /** What is set for the sandbox, apart from the search path. */
  readonly variables: Readonly<Record<string, string>>
  /** The host's environment with the sandbox in it and nothing of the person's own profiles. */
  readonly env: NodeJS.ProcessEnv
}

/** This very program as an executable and its first arguments, from any folder. */
export function selfOf(host: Host): readonly [string, ...string[]] {
  const [node, ...rest] = host.self
  return [node, ...rest.map((word) => resolve(host.cwd(), word))]
}

/** Runs work in the surroundings of a sandbox, and removes their folder. */
export async function inSurroundings<T>(
  host: Host,
  { baseUrl, keys }: Sandbox,
  work: (surroundings: Surroundings) => Promise<T>,
): Promise<T> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'svc-sandbox-')))
  try {
    for (const name of ['config', 'state', 'bin']) await mkdir(join(folder, name), { mode: 0o700 })
    const [key] = keys
    const pinned = { SVC_SANDBOX: baseUrl, SVC_SANDBOX_DIR: folder }
    const variables = {
      ...pinned,
      SVC_BASE_URL: baseUrl,
      SVC_API_KEY: key?.apiKey ?? '',
      SVC_API_SECRET: key?.apiSecret ?? '',
    }
    const bin = join(folder, 'bin')
    await writeProgram(host, bin, pinned)
    return await work({ folder, bin, variables, env: environmentOf(host, variables, bin) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function environmentOf(host: Host, variables: Readonly<Record<string, string>>, bin: string): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...host.env, ...variables }
  for (const name of unsetVariables) delete env[name]
  const pathName = Object.keys(env).find((name) => name.toLowerCase() === 'path') ?? 'PATH'
  env[pathName] = [bin, env[pathName]].filter((part) => part !== undefined && part !== '').join(delimiter)
  return env
}

/** Writes a `svc` that is this program and stays in the sandbox, whatever the environment has become by then. */
async function writeProgram(host: Host, bin: string, pinned: Readonly<Record<string, string>>): Promise<void> {
  const self = selfOf(host)
  if (host.platform === 'win32') {
    const lines = Object.entries(pinned).map(([name, value]) => `set "${name}=${value}"`)
    const command = `${self.map((word) => `"${word}"`).join(' ')} %*`
    await writeFile(join(bin, 'svc.cmd'), ['@echo off', 'setlocal', ...lines, command, ''].join('\r\n'))
    return
  }
  const lines = Object.entries(pinned).map(([name, value]) => `export ${name}=${shellWord(value)}`)
  const command = `exec ${self.map(shellWord).join(' ')} "$@"`
  await writeFile(join(bin, 'svc'), ['#!/bin/sh', ...lines, command, ''].join('\n'))
  await chmod(join(bin, 'svc'), 0o755)
}
