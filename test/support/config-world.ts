/** A host with a home and a current folder of its own, below one temporary folder. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { ownFolder } from './ending.ts'
import { fakeHost } from './fake-host.ts'

export type World = ReturnType<typeof world>

export interface WorldOptions {
  readonly env?: Record<string, string | undefined>
}

export function world({ env = {} }: WorldOptions = {}) {
  const folder = ownFolder('profiles')
  const home = join(folder, 'home')
  const project = join(folder, 'work', 'project')
  const config = join(home, '.config', 'svc')
  mkdirSync(project, { recursive: true })
  mkdirSync(home)
  const own = { HOME: home, PATH: process.env.PATH, ...env }
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const host = fakeHost({ argv: [], env: own, folder: project, stdout, stderr })
  function put(path: string, content: unknown, mode: number): string {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    const text =
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
    writeFileSync(path, text, { mode })
    return path
  }
  return {
    host,
    folder,
    home,
    project,
    config,
    /** Writes a file of the configuration folder, mode 0600 unless told. */
    write: (name: string, content: unknown, mode = 0o600) => put(join(config, name), content, mode),
    plant: (name: string, content: unknown) => put(join(project, name), content, 0o755),
  }
}

/** Two profiles, the second one current. */
export const twoProfiles = {
  current: 'staging',
  profiles: {
    prod: profileOf('prod', 'api.example.com'),
    staging: profileOf('staging', 'staging.example.com/crm/'),
  },
}

function profileOf(name: string, place: string) {
  return { baseUrl: `https://${place}`, apiKey: `pk_${name}_a1b2`, apiSecret: `${name}-secret` }
}
