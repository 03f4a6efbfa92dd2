// Reads QR codes from a camera: by the browser itself where it can, elsewhere by ZXing, which is
// fetched when a camera is first opened.

const ZXING = "../vendor/zxing/reader/";
// A larger frame costs time and shows no code better.
const SIDE_MAX = 960;

// Returns a function that reads the frame which a video shows: the text of its QR code, or
// undefined where it has none.
export async function qrReader() {
  const formats = (await globalThis.BarcodeDetector?.getSupportedFormats()) ?? [];
  return formats.includes("qr_code") ? browserReader() : zxingReader();
}

function browserReader() {
  const detector = new BarcodeDetector({ formats: ["qr_code"] });
  return async (video) => {
    const [found] = await detector.detect(video);
    return found?.rawValue;
  };
}

async function zxingReader() {
  const { prepareZXingModule, readBarcodes } = await import(`${ZXING}index.js`);
  const wasm = new URL(`${ZXING}zxing_reader.wasm`, import.meta.url);
  await prepareZXingModule({ overrides: { locateFile: () => wasm.href }, fireImmediately: true });
  const canvas = new OffscreenCanvas(1, 1);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  return async (video) => {
    const { videoWidth, videoHeight } = video;
    if (videoWidth === 0) return undefined;
    const scale = Math.min(1, SIDE_MAX / Math.max(videoWidth, videoHeight));
    canvas.width = Math.round(videoWidth * scale);
    canvas.height = Math.round(videoHeight * scale);
    context.drawImage(video, 0, 0, canvas.width, canvas.height);
    const frame = context.getImageData(0, 0, canvas.width, canvas.height);
    const [found] = await readBarcodes(frame, { formats: ["QRCode"], maxNumberOfSymbols: 1 });
    return found?.text;
  };
}
