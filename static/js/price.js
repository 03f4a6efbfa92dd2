// Writes prices as the server writes them: in points, or in the money that these are sold for.

// Returns how the page whose data attributes are `told` writes a price, and a range of
// prices within one of its texts; one price where both are the same.
export function priceWriter(told) {
  const digits = Number(told.priceDigits);
  const number = new Intl.NumberFormat(document.documentElement.lang, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const bare = (points) => number.format((points * Number(told.pointMinor)) / 10 ** digits);
  const range = (pattern, low, high) =>
    pattern.replace("{points}", low === high ? bare(high) : `${bare(low)}–${bare(high)}`);
  return { price: (points) => range(told.textAmount, points, points), range };
}
