interface Replacement {
  file: string
  from: string
  to: string
}

export function bundle(
  outfile: string,
  contents: string,
  replacements?: readonly Replacement[],
  splitting?: boolean,
): Promise<string>
