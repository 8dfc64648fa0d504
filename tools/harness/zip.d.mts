/** A zip archive of parts by their names. */
export function zip(
  parts: Readonly<Record<string, string | Uint8Array>>,
  options?: { readonly hasDataDescriptors?: boolean },
): Buffer
