//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Constants of EGL 1.5 and OpenGL ES 2.0, as far as they are used here.
const (
	eglBadAccess           = 0x3002
	eglPlatformSurfaceless = 0x31DD
	eglSurfaceType         = 0x3033
	eglPbufferBit          = 0x0001
	eglRenderableType      = 0x3040
	eglOpenGLES2Bit        = 0x0004
	eglRedSize             = 0x3024
	eglGreenSize           = 0x3023
	eglBlueSize            = 0x3022
	eglAlphaSize           = 0x3021
	eglNone                = 0x3038
	eglWidth               = 0x3057
	eglHeight              = 0x3056
	eglContextVersion      = 0x3098
	eglOpenGLESAPI         = 0x30A0

	glRenderer       = 0x1F01
	glVersion        = 0x1F02
	glColorBufferBit = 0x4000
	glVertexShader   = 0x8B31
	glFragmentShader = 0x8B30
	glCompileStatus  = 0x8B81
	glLinkStatus     = 0x8B82
	glArrayBuffer    = 0x8892
	glStreamDraw     = 0x88E0
	glFloat          = 0x1406
	glTriangleFan    = 0x0006
	glRGBA           = 0x1908
	glUnsignedByte   = 0x1401
)

// A lib is the functions of the two libraries. Those of OpenGL act on the context that is current
// on the calling OS thread.
type lib struct {
	eglGetPlatformDisplay func(platform uint32, native uintptr, attribs *uintptr) uintptr
	eglInitialize         func(display uintptr, major, minor *int32) uint32
	eglTerminate          func(display uintptr) uint32
	eglReleaseThread      func() uint32
	eglBindAPI            func(api uint32) uint32
	eglChooseConfig       func(display uintptr, attribs *int32, configs *uintptr, size int32,
		count *int32) uint32
	eglCreatePbufferSurface func(display, config uintptr, attribs *int32) uintptr
	eglCreateContext        func(display, config, share uintptr, attribs *int32) uintptr
	eglDestroySurface       func(display, surface uintptr) uint32
	eglDestroyContext       func(display, context uintptr) uint32
	eglMakeCurrent          func(display, draw, read, context uintptr) uint32
	eglGetError             func() int32

	glGetString           func(name uint32) *byte
	glGetError            func() uint32
	glViewport            func(x, y, w, h int32)
	glClearColor          func(r, g, b, a float32)
	glClear               func(mask uint32)
	glCreateShader        func(kind uint32) uint32
	glShaderSource        func(shader uint32, count int32, text **byte, length *int32)
	glCompileShader       func(shader uint32)
	glGetShaderiv         func(shader, name uint32, value *int32)
	glCreateProgram       func() uint32
	glAttachShader        func(program, shader uint32)
	glBindAttribLocation  func(program, index uint32, name *byte)
	glLinkProgram         func(program uint32)
	glGetProgramiv        func(program, name uint32, value *int32)
	glUseProgram          func(program uint32)
	glGenBuffers          func(n int32, buffers *uint32)
	glBindBuffer          func(target, buffer uint32)
	glBufferData          func(target uint32, size int, data *float32, usage uint32)
	glVertexAttribPointer func(index uint32, size int32, kind uint32, normalized bool,
		stride int32, offset uintptr)
	glEnableVertexAttribArray func(index uint32)
	glDrawArrays              func(mode uint32, first, count int32)
	glReadPixels              func(x, y, w, h int32, format, kind uint32, pixels *byte)
}

// load loads the libraries, and calls into them by pure Go: there is no C compiler involved.
func load() (l *lib, err error) {
	// What registers a function panics if the library does not have it.
	defer func() {
		if v := recover(); v != nil {
			l, err = nil, fmt.Errorf("the libraries of OpenGL ES cannot be used: %v", v)
		}
	}()
	open := func(name string) uintptr {
		h, e := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if e != nil && err == nil {
			err = fmt.Errorf("OpenGL ES is not installed (on Debian: apt install %s): %w", packages,
				e)
		}
		return h
	}
	egl, gl := open(libraries[0]), open(libraries[1])
	if err != nil {
		return nil, err
	}
	l = new(lib)
	for name, f := range map[string]any{
		"eglGetPlatformDisplay": &l.eglGetPlatformDisplay, "eglInitialize": &l.eglInitialize,
		"eglTerminate": &l.eglTerminate, "eglReleaseThread": &l.eglReleaseThread,
		"eglBindAPI":              &l.eglBindAPI,
		"eglChooseConfig":         &l.eglChooseConfig,
		"eglCreatePbufferSurface": &l.eglCreatePbufferSurface,
		"eglCreateContext":        &l.eglCreateContext, "eglDestroySurface": &l.eglDestroySurface,
		"eglDestroyContext": &l.eglDestroyContext, "eglMakeCurrent": &l.eglMakeCurrent,
		"eglGetError": &l.eglGetError,
	} {
		purego.RegisterLibFunc(f, egl, name)
	}
	for name, f := range map[string]any{
		"glGetString": &l.glGetString, "glGetError": &l.glGetError, "glViewport": &l.glViewport,
		"glClearColor": &l.glClearColor, "glClear": &l.glClear, "glCreateShader": &l.glCreateShader,
		"glShaderSource": &l.glShaderSource, "glCompileShader": &l.glCompileShader,
		"glGetShaderiv":   &l.glGetShaderiv,
		"glCreateProgram": &l.glCreateProgram, "glAttachShader": &l.glAttachShader,
		"glBindAttribLocation": &l.glBindAttribLocation, "glLinkProgram": &l.glLinkProgram,
		"glGetProgramiv": &l.glGetProgramiv, "glUseProgram": &l.glUseProgram,
		"glGenBuffers": &l.glGenBuffers,
		"glBindBuffer": &l.glBindBuffer, "glBufferData": &l.glBufferData,
		"glVertexAttribPointer":     &l.glVertexAttribPointer,
		"glEnableVertexAttribArray": &l.glEnableVertexAttribArray,
		"glDrawArrays":              &l.glDrawArrays, "glReadPixels": &l.glReadPixels,
	} {
		purego.RegisterLibFunc(f, gl, name)
	}
	return l, nil
}

// cString returns a text as C has it.
func cString(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }

// text returns what glGetString says; ok is false if that is NULL.
func (l *lib) text(name uint32) (s string, ok bool) {
	p := l.glGetString(name)
	if p == nil {
		return "", false
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n)), true
}

// compile makes a shader.
func (l *lib) compile(kind uint32, source string) (uint32, error) {
	s := l.glCreateShader(kind)
	// A pointer to a pointer: both must stay where they are.
	text := cString(source)
	var pin runtime.Pinner
	pin.Pin(text)
	defer pin.Unpin()
	l.glShaderSource(s, 1, &text, nil)
	l.glCompileShader(s)
	var ok int32
	if l.glGetShaderiv(s, glCompileStatus, &ok); ok == 0 {
		return 0, fmt.Errorf("a shader does not compile: %#x", l.glGetError())
	}
	return s, nil
}
