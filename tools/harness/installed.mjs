/** Packages that only a tool needs, and a developer does not: installed when the tool runs, where Git does not look. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './tool.mjs'

/** The `node_modules` that the lockfile in `folder` describes; installed again only when the lockfile has changed. */
export function installed(folder) {
  const source = join(root, folder)
  const place = join(root, 'node_modules/.cache', `svc-${basename(folder)}`)
  const lock = readFileSync(join(source, 'package-lock.json'))
  const stamp = join(place, 'installed')
  if (!existsSync(stamp) || !readFileSync(stamp).equals(lock)) {
    console.log(`installing what ${folder}/package-lock.json lists`)
    rmSync(place, { recursive: true, force: true })
    mkdirSync(place, { recursive: true })
    for (const file of ['package.json', 'package-lock.json'])
      copyFileSync(join(source, file), join(place, file))
    // By force, because most of these are for other systems than this one. What comes is checked against the lockfile all the same.
    execFileSync('npm', ['ci', '--force', '--ignore-scripts', '--loglevel=error'], {
      cwd: place,
      stdio: 'inherit',
    })
    writeFileSync(stamp, lock)
  }
  return join(place, 'node_modules')
}
