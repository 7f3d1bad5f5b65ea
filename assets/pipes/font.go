package pipes

import "golang.org/x/image/font/sfnt"

// fonts decodes TrueType and OpenType.
var fonts = Decoder{
	Version: 1,
	Decode: func(data []byte, _ Limits) (Decoded, error) {
		f, err := sfnt.Parse(data)
		if err != nil {
			return Decoded{}, err
		}
		return Decoded{Value: f, Size: int64(len(data))}, nil
	},
}
