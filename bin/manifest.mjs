/** The checksums of a build, by which `svc.js` tells one that is damaged. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checksum } from './svc.js'

/** Writes `manifest`: a checksum a line, of the rest of the manifest first and then of every file of the folder with its name. */
export async function writeManifest(folder) {
  let lines = '\n'
  for (const name of (await readdir(folder)).toSorted())
    if (name !== 'manifest') lines += `${checksum(await readFile(join(folder, name)))} ${name}\n`
  await writeFile(join(folder, 'manifest'), checksum(Buffer.from(lines)) + lines)
}
