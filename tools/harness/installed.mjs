/** Packages that only a tool needs, and a developer does not: installed when the tool runs, where Git does not look. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The `node_modules` that the lockfile of `tools/<name>` describes; installed again only when the lockfile has changed. */
export function installed(name) {
  const source = join(root, 'tools', name)
  const place = join(root, 'node_modules/.cache', `svc-${name}`)
  const lock = readFileSync(join(source, 'package-lock.json'))
  const stamp = join(place, 'installed')
  if (!existsSync(stamp) || !readFileSync(stamp).equals(lock)) {
    console.log(`installing what tools/${name}/package-lock.json lists`)
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place, { recursive: true })
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(source, file), join(place, file))
    // By force, because most of these are for other systems than this one. What comes is checked against the lockfile all the same.
    execFileSync('npm', ['ci', '--force', '--ignore-scripts', '--loglevel=error'], { cwd: place, stdio: 'inherit' })
    writeFileSync(stamp, lock)
  }
  return join(place, 'node_modules')
}
