/** Archives that are the same bytes for the same files: sorted, of nobody, and of the time of the commit. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { run } from '../harness/tool.mjs'
import { zip } from '../harness/zip.mjs'

/** `folder`, with its own name in front, as a tar.gz. `time`: in seconds. */
export function writeTar(path, folder, time) {
  const words = [
    '--sort=name',
    `--mtime=@${time}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--format=ustar',
  ]
  const tar = run('tar', [...words, '-cf', '-', '-C', dirname(folder), basename(folder)], {
    encoding: 'buffer',
  })
  // Node's gzip writes neither a time nor a name.
  writeFileSync(path, gzipSync(tar))
}

/** A date of MS-DOS, in which there is nothing before 1980. */
function dosTime(time) {
  const date = new Date(Math.max(time * 1000, Date.UTC(1980, 0, 1)))
  const day =
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate()
  const clock =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1)
  return day * 65_536 + clock
}

/** The same as a zip. */
export function writeZip(path, folder, time) {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  const files = paths.filter((name) => !statSync(join(folder, name)).isDirectory())
  const parts = files.map((name) => [
    `${basename(folder)}/${name}`,
    readFileSync(join(folder, name)),
  ])
  writeFileSync(path, zip(Object.fromEntries(parts), { time: dosTime(time) }))
}

/** Files by their paths below `folder`; text or bytes. */
export function writeFiles(folder, files) {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content, { mode: 0o644 })
  }
}
